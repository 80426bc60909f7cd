// What a visitor sees now: words, where the sliders stand, and what is painted on each canvas of a stage, as sums over squares. Not
// what no address keeps: boxes that were opened, the line about Keras, what lies under the pointer. Called in the page.
() => {
  const SIDE = 32, copy = document.createElement("canvas"), g = copy.getContext("2d", { willReadFrequently: true });
  const apart = "details, [data-testid='stIconMaterial'], .st-key-check, .tip, [data-testid='stPopoverBody'], [role='tooltip'], [role='listbox'], script, style, title";
  const seen = { words: [], sliders: [], painted: [] };
  const look = (root) => {
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    while (nodes.nextNode()) {
      const node = nodes.currentNode, element = node.nodeType === 3 ? node.parentElement : node;
      if (element?.closest(apart) || !element?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (node.nodeType === 3) { if (node.data.trim()) seen.words.push(node.data.trim()); continue; }
      if (node.shadowRoot) look(node.shadowRoot);
      if (node.matches("input[type='range']")) seen.sliders.push(`${node.ariaLabel} ${node.getAttribute("aria-valuetext") || node.value}`);
      if (!node.matches("canvas.base") || !node.width) continue;
      const { width, height } = Object.assign(copy, { width: node.width, height: node.height });
      g.drawImage(node, 0, 0);
      const { data } = g.getImageData(0, 0, width, height), across = Math.ceil(width / SIDE);
      const sums = new Array(across * Math.ceil(height / SIDE)).fill(0);
      for (let i = 0; i < data.length; i++)
        sums[Math.floor((i >> 2) / width / SIDE) * across + Math.floor(((i >> 2) % width) / SIDE)] += data[i];
      seen.painted.push(sums);
    }
  };
  look(document.querySelector('[data-testid="stApp"]') ?? document.body);
  return seen;
}
