// Returns texts with too little contrast to their background.
const parse = (color) => { const n = color.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
const light = ([r, g, b]) => { const f = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
const problems = new Set();
for (const node of document.querySelectorAll('body *')) {
  if (![...node.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || node.closest('svg, script, noscript, [hidden], .hidden, option') || !node.getClientRects().length || node.matches(':disabled')) continue;
  let behind = node, ground = [0, 0, 0, 0];
  while (behind && ground[3] < 1) { ground = parse(getComputedStyle(behind).backgroundColor); behind = behind.parentElement; }
  const style = getComputedStyle(node), [a, b] = [light(parse(style.color)), light(ground)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05), large = parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 600 || parseFloat(style.fontSize) >= 24;
  if (ratio < (large ? 3 : 4.5)) problems.add(`${ratio.toFixed(2)} ${node.className || node.tagName}: ${node.textContent.trim().slice(0, 30)}`);
}
return [...problems].slice(0, 8);
