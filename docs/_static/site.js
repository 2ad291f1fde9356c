// What the theme leaves out for people who do not see the page or have no mouse.
window.addEventListener("load", () => {
  for (const caption of document.querySelectorAll("p.caption[role=heading]")) caption.setAttribute("aria-level", "2");
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "This page");
  for (const code of document.querySelectorAll(":is(td, th) code span")) {
    code.replaceChildren(
      ...code.textContent.split(/(?<=[_./=,(])/).flatMap((part) => [part, document.createElement("wbr")]),
    );
  }
  // Where there is room, the button opens the game in the page; the second time, and on a telephone, on a page of its
  // own.
  for (const play of document.querySelectorAll('a.play[href*="#"]')) {
    play.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || innerWidth < 1008 || play.dataset.open) return;
      event.preventDefault();
      const frame = document.createElement("iframe");
      Object.assign(frame, { className: "game", src: play.href, title: "The game" });
      play.parentElement.after(frame);
      frame.scrollIntoView({ block: "nearest" });
      play.dataset.open = play.textContent = "On a page of its own";
    });
  }
  for (const box of document.querySelectorAll(".table-wrapper")) {
    box.classList.toggle("tight", box.scrollWidth > box.clientWidth);
  }
  for (const box of document.querySelectorAll("pre, .table-wrapper, div.math")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});
