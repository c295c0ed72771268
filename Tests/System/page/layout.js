// Returns texts that overlap or leave their box, and whether the page scrolls sideways.
const problems = [], seen = [];
const clip = (rect, node) => {
  let {left, top, right, bottom} = rect;
  for (let n = node; n && n !== document.body; n = n.parentElement) {
    const style = getComputedStyle(n);
    if (style.clipPath !== 'none' || style.visibility === 'hidden' || style.opacity === '0') return null;
    if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
      const r = n.getBoundingClientRect();
      left = Math.max(left, r.left); right = Math.min(right, r.right); top = Math.max(top, r.top); bottom = Math.min(bottom, r.bottom);
    }
  }
  return right - left > 1 && bottom - top > 1 ? {left, top, right, bottom} : null;
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, parent = node.parentElement;
  if (!node.data.trim() || parent.closest('svg, script, noscript, [hidden], option, textarea')) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const r of range.getClientRects()) {
    const box = clip(r, parent);
    if (!box) continue;
    if (r.right > innerWidth + 1 && box.right > innerWidth + 1) problems.push(`off the page: ${node.data.slice(0, 40)}`);
    const holder = parent.closest('.box, #verdict, button, header, li, .notice');
    const h = holder?.getBoundingClientRect();
    if (h && (box.right > h.right + 1.5 || box.left < h.left - 1.5 || box.bottom > h.bottom + 1.5)) problems.push(`leaves its box: ${node.data.slice(0, 40)}`);
    seen.push({box, node, text: node.data.trim().slice(0, 30)});
  }
}
for (let i = 0; i < seen.length; i++) for (let j = i + 1; j < seen.length; j++) {
  const a = seen[i].box, b = seen[j].box;
  if (seen[i].node === seen[j].node) continue;
  if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5) problems.push(`over each other: ${seen[i].text} | ${seen[j].text}`);
}
if (document.documentElement.scrollWidth > innerWidth) problems.push(`scrolls sideways: ${document.documentElement.scrollWidth} > ${innerWidth}`);
return problems.slice(0, 8);
