import type { Growth } from './growth.js';

const [WIDTH, HEIGHT] = [790, 360];
const PLOT = { left: 56, right: 480, top: 24, bottom: 316 };
/** From a tenth of the cost at the smallest size to a hundred times it. */
const [LEAST, MOST] = [0.1, 100];
const DECADES = [0.1, 1, 10, 100];
/** Told apart by everybody, on white and on black. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#5a8fd6'];
/** Between two lines of text at the ends of the lines. */
const LINE = 17;

/**
 * The costs over the sizes as an SVG, each in proportion to what it is at its smallest size, both axes by logarithms. The
 * dashed line is a cost that grows as its size does.
 */
export function growthChart(growths: readonly Growth[]): string {
  const times = [1, 10, 100];
  const lines = growths.map(({ of, deed, sizes, costs }, i) => {
    const points = sizes.map((size, at) => [xOf(size / sizes[0]!), yOf(costs[at]! / costs[0]!)] as const);
    return { points, colour: COLOURS[i % COLOURS.length]!, label: `${deed}, by ${of}`, end: points.at(-1)![1] };
  });
  const labels = spreadOut(lines.map(({ end }) => end));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="12">`,
    '<title>What one deed costs as there is more and more</title>',
    '<style>text{fill:#333}.grid{stroke:#bbb}@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#555}}</style>',
    ...times.map((each) => rule(xOf(each), PLOT.top, xOf(each), PLOT.bottom)),
    ...DECADES.map((each) => rule(PLOT.left, yOf(each), PLOT.right, yOf(each))),
    ...times.map((each) => text(xOf(each), PLOT.bottom + 18, `${each}×`, 'middle')),
    ...DECADES.map((each) => text(PLOT.left - 6, yOf(each) + 4, `${each}×`, 'end')),
    text((PLOT.left + PLOT.right) / 2, PLOT.bottom + 36, 'size', 'middle'),
    text(PLOT.left, PLOT.top - 8, 'cost of one', 'start'),
    `<path class="grid" stroke-dasharray="4 4" fill="none" d="${pathOf(times.map((each) => [xOf(each), yOf(each)]))}"/>`,
    ...lines.flatMap(({ points, colour, label }, i) => [
      `<path stroke="${colour}" stroke-width="2" fill="none" d="${pathOf(points)}"/>`,
      ...points.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`),
      `<circle cx="${PLOT.right + 14}" cy="${labels[i]! - 4}" r="4" fill="${colour}"/>`,
      text(PLOT.right + 24, labels[i]!, label, 'start'),
    ]),
    '</svg>',
    '',
  ].join('\n');
}

const round = (value: number) => Math.round(value * 10) / 10;

const xOf = (times: number) => round(PLOT.left + (Math.log10(times) / 2) * (PLOT.right - PLOT.left));

function yOf(times: number): number {
  const within = Math.min(MOST, Math.max(LEAST, times));
  const share = Math.log10(within / LEAST) / Math.log10(MOST / LEAST);
  return round(PLOT.bottom - share * (PLOT.bottom - PLOT.top));
}

const pathOf = (points: readonly (readonly [number, number])[]) => `M${points.map((each) => each.join(' ')).join('L')}`;

const rule = (x1: number, y1: number, x2: number, y2: number) =>
  `<line class="grid" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke-width="0.5"/>`;

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;
}

/** Heights near these, in the same order, far enough apart to be read. */
function spreadOut(heights: readonly number[]): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a]! - heights[b]!);
  const placed = [...heights];
  const middle = heights.reduce((sum, height) => sum + height, 0) / heights.length;
  order.forEach((i, place) => {
    placed[i] = round(middle + (place - (heights.length - 1) / 2) * LINE + 4);
  });
  return placed;
}
