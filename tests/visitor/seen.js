// What a visitor sees now: words, where the sliders stand, and each picture, made so small that a letter more or less blurred is no
// difference. The walk's film is put to its end. Not what no address keeps: boxes that were opened, the line about Keras, the key
// that a film takes until it was seen, what has the focus or lies under the pointer. Called in the page.
() => {
  const apart = "details, [data-testid='stIconMaterial'], .st-key-check, .tip, [data-testid='stPopoverBody'], [role='tooltip'], [role='listbox'], .files [role='status'], kbd, script, style, title";
  document.activeElement.blur();
  const seen = { words: [], painted: [] };
  const look = (root) => {
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    while (nodes.nextNode()) {
      const node = nodes.currentNode, words = node instanceof Text && node.data.trim(), element = words ? node.parentElement : node;
      if (!(element instanceof Element) || element.closest(apart) || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (words) seen.words.push(words);
      if (node !== element) continue;
      if (node.shadowRoot) look(node.shadowRoot);
      if (node.matches("input[type='range']")) seen.words.push(`${node.ariaLabel} at ${node.getAttribute("aria-valuetext") || node.value}`);
      if (node.matches(".film .skip:enabled")) node.click();
      if (!node.matches("canvas.base") || !node.width) continue;
      const [width, height] = [node.width, node.height].map((side) => Math.ceil(side / 16));
      const small = new OffscreenCanvas(width, height).getContext("2d");
      small.imageSmoothingQuality = "high";
      small.drawImage(node, 0, 0, width, height);
      seen.words.push(`a picture of ${node.width} by ${node.height}`);
      seen.painted.push(...small.getImageData(0, 0, width, height).data);
    }
  };
  look(document.querySelector('[data-testid="stApp"]') ?? document.body);
  return seen;
}
