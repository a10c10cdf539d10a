/* What the theme's own script makes and leaves unfinished for keyboards and screen readers: each code block's copy button is a
   landmark without a name, and a table wider than the page scrolls, but not by keys. */
const finish = () => {
  for (const [index, bar] of document.querySelectorAll("nav.md-code__nav").entries()) bar.ariaLabel = `Code block ${index + 1}`;
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap")) if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
};
new MutationObserver(finish).observe(document.documentElement, { childList: true, subtree: true });
addEventListener("load", finish);
addEventListener("resize", finish);
