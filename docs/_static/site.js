// What the theme leaves out for people who do not see the page or have no mouse.
window.addEventListener("load", () => {
  for (const caption of document.querySelectorAll("p.caption[role=heading]")) caption.setAttribute("aria-level", "2");
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "This page");
  for (const box of document.querySelectorAll("pre, .table-wrapper, div.math")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});
