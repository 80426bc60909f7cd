// What a visitor cannot read or reach: outside the window, or cut off by its box. Called in the page; gives a list of sentences.
() => {
  const found = [], wide = document.documentElement.clientWidth;
  for (const box of [document.documentElement, document.querySelector('[data-testid="stMain"]')])
    if (box && box.scrollWidth > box.clientWidth + 2) found.push(`the page scrolls sideways: ${box.dataset?.testid || "html"}`);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode, element = node.parentElement, words = node.data.trim();
    if (!words || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) continue;
    if (element.closest("script, style, noscript, title, option, svg title, .katex-mathml, [aria-hidden='true'][class*='mathml']")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rect = range.getBoundingClientRect();
    if (rect.width < 2 || rect.height < 2) continue;
    let seen = { left: -Infinity, right: Infinity }, scrolls = false, short = false, tiny = false;
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box), edge = box.getBoundingClientRect();
      if (style.position === "fixed" && edge.right <= 0) tiny = true;
      if (style.clipPath !== "none" || style.clip !== "auto" || (edge.width <= 2 && style.overflow === "hidden")) tiny = true;
      if (box.getAttribute("aria-hidden") === "true" || box.matches('[data-testid="stSidebar"][aria-expanded="false"]')) tiny = true;
      if (style.textOverflow === "ellipsis") short = true;
      if (["auto", "scroll"].includes(style.overflowX) && box.dataset.testid !== "stMain" && box.scrollWidth > box.clientWidth + 1) scrolls = true;
      if (["hidden", "clip"].includes(style.overflowX)) {
        if (edge.height < 2) tiny = true;
        seen = { left: Math.max(seen.left, edge.left), right: Math.min(seen.right, edge.right) };
      }
      if (box.dataset.testid === "stMain") break;
    }
    if (scrolls || tiny || short) continue;
    const where = `${words.slice(0, 50)} (in ${element.closest("[class*='st-key-'], [data-testid]")?.dataset.testid || element.closest("[class*='st-key-']")?.className.match(/st-key-\S+/)?.[0] || element.tagName})`;
    if (rect.right > wide + 2 || rect.left < -2) found.push(`text outside the window: ${where}`);
    else if (rect.right > seen.right + 3 || rect.left < seen.left - 3) found.push(`text cut off: ${where}`);
  }
  for (const button of document.querySelectorAll('[data-testid="stHeader"] :is(button, a)')) {
    const rect = button.getBoundingClientRect();
    if (rect.width > 2 && (rect.right > wide + 2 || rect.left < -2)) found.push(`a button outside the window: ${button.dataset.testid || button.ariaLabel}`);
  }
  return [...new Set(found)];
}
