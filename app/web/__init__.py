"""``nashzoo web``: games in the browser, played, watched and looked up."""
