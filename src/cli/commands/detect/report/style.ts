// The style of the report: light and dark as the reader's system has it, for paper, and for 320 pixels.

export const STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --faint: #57606a; --line: #d1d9e0; --page: #ffffff; --card: #f6f8fa; --bar: #0969da; }
@media (prefers-color-scheme: dark) {
  :root { --text: #f0f6fc; --faint: #9ca5af; --line: #3d444d; --page: #0d1117; --card: #151b23; --bar: #4493f8; }
}
@media print {
  :root { --text: #000000; --faint: #444444; --line: #bbbbbb; --page: #ffffff; --card: #ffffff; --bar: #555555; }
  section { break-inside: avoid; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 16px 12px 48px; max-width: 1240px; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 4px; }
h2 { font-size: 1rem; margin: 0 0 8px; }
p { margin: 0 0 12px; color: var(--faint); overflow-wrap: anywhere; }
ul.tiles { list-style: none; margin: 16px 0; padding: 0; display: grid; gap: 8px; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px; color: var(--faint); }
.tiles b { display: block; font-size: 1.375rem; color: var(--text); font-variant-numeric: tabular-nums; }
.cards { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); align-items: start; }
section { border: 1px solid var(--line); border-radius: 6px; padding: 12px; min-width: 0; background: var(--card); }
section.across { grid-column: 1 / -1; }
ul.bars { list-style: none; margin: 0; padding: 0; max-width: 560px; font-size: 0.875rem; }
.bars li { display: grid; grid-template-columns: minmax(0, 8rem) 1fr minmax(5.5rem, auto); gap: 0 12px; align-items: center; padding: 2px 0; }
.bars svg { display: block; width: 100%; height: 10px; }
.bars .track { fill: var(--line); opacity: 0.5; }
.bars .fill { fill: var(--bar); }
.bars span { overflow-wrap: break-word; }
@media (max-width: 34rem) {
  .bars li { grid-template-columns: 1fr auto; }
  .bars svg { grid-row: 2; grid-column: 1 / -1; }
}
.bars span:last-child { text-align: right; font-variant-numeric: tabular-nums; }
svg.days { display: block; width: 100%; height: 120px; overflow: visible; border-bottom: 1px solid var(--line); }
.days polyline { fill: none; stroke: var(--bar); stroke-width: 2; }
.days .disposable { stroke: #c4432b; }
td.day { white-space: nowrap; }
section p { margin: 8px 0 0; font-size: 0.875rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
th, td { text-align: left; padding: 4px 8px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: break-word; }
.cards.tables { margin-top: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); }
th { white-space: nowrap; color: var(--faint); font-weight: 600; }
th.n, td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; width: 1%; padding-right: 12px; }
code { font: 0.875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
`;
