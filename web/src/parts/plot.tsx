/** One graph on a canvas: axes, lines, its limit, what happened, and the values under the pointer. */
import { useEffect, useRef, type ReactElement } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { bytes } from './units.ts';
import { ranges, timeWithin, type Graph, type Happening, type Range } from './ranges.ts';

interface Plotted {
  graph: Graph;
  times: readonly number[];
  happened: readonly Happening[];
  range: Range;
  onPoint: (words: string | undefined) => void;
}

const height = 120;
/** Steps between the marks of an axis in bytes, up to 16 TiB. */
const powersOfTwo = Array.from({ length: 45 }, (_, power) => 2 ** power);
const lineColours = ['accent', 'up'] as const;

export function Plot(plotted: Plotted): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const newest = useRef(plotted);
  newest.current = plotted;
  const plot = useRef<UPlot>(undefined);
  const { graph, times, range } = plotted;
  const isDrawnAs = `${range} ${graph.title} ${graph.lines.length}`;

  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new UPlot(optionsOf(element, newest), dataOf(newest.current), element);
    };
    draw();
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(80, element.clientWidth), height }),
    );
    resized.observe(element);
    // A canvas keeps the colours it was drawn with.
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      themed.disconnect();
      dark.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [isDrawnAs]);

  useEffect(() => plot.current?.setData(dataOf(newest.current)), [times, graph]);
  return <div ref={place} className="h-full w-full overflow-hidden" />;
}

const dataOf = ({ times, graph }: Plotted): UPlot.AlignedData => [
  [...times],
  ...graph.lines.map(({ values }) => [...values]),
];

type Newest = Readonly<{ current: Plotted }>;

function optionsOf(element: HTMLElement, newest: Newest): UPlot.Options {
  const { graph, range } = newest.current;
  const style = getComputedStyle(element);
  // The computed colour of an element, since a canvas knows neither variables nor light-dark().
  const colour = (name: string): string => {
    const probe = element.appendChild(document.createElement('i'));
    probe.style.color = `var(--color-${name})`;
    const computed = getComputedStyle(probe).color;
    probe.remove();
    return computed;
  };
  const [faint, line, warn] = [colour('faint'), colour('line'), colour('warn')];
  const axis = { stroke: faint, font: `11px ${style.fontFamily}`, ticks: { show: false } };
  return {
    width: Math.max(80, element.clientWidth),
    height,
    legend: { show: false },
    padding: [6, 4, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { range: () => [Date.now() / 1000 - ranges[range].ms / 1000, Date.now() / 1000] },
      y: { range: (_, __, most) => [0, topOf(most, newest.current.graph.limit)] },
    },
    axes: [
      {
        ...axis,
        size: 18,
        gap: 2,
        space: 70,
        grid: { show: false },
        values: (_, splits) => splits.map((at) => timeWithin(range, new Date(at * 1000))),
      },
      {
        ...axis,
        size: 56,
        gap: 4,
        space: 34,
        ...(graph.shown === bytes && { incrs: powersOfTwo }),
        grid: { stroke: line, width: 1 },
        values: (_, splits) => splits.map((value) => newest.current.graph.shown(value)),
      },
    ],
    series: [
      {},
      ...graph.lines.map((_, at): UPlot.Series => {
        const stroke = colour(lineColours[at % lineColours.length] ?? 'accent');
        return { stroke, width: 1.5, points: { show: false }, ...(at === 0 && { fill: faded(stroke) }) };
      }),
    ],
    hooks: {
      draw: [(plot) => drawAcross(plot, newest.current, { limit: warn, happened: faint })],
      setCursor: [({ cursor }) => newest.current.onPoint(wordsAt(newest.current, cursor.idx))],
    },
  };
}

/** Some room above the values, and up to their limit where that does not press them flat. */
const topOf = (most: number, limit = 0): number =>
  Math.max(most * 1.15, limit <= most * 3 ? limit * 1.05 : 0, 1e-9);

/** The colour at an eighth of its strength, for the area below a line. */
const faded = (colour: string): string => colour.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.12)');

/** The limit as a line, where it is not far above all values, and each happening. */
function drawAcross(
  plot: UPlot,
  { graph, happened }: Plotted,
  colours: { limit: string; happened: string },
): void {
  const { ctx, bbox } = plot;
  const line = (colour: string, from: readonly [number, number], to: readonly [number, number]): void => {
    ctx.strokeStyle = colour;
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...to);
    ctx.stroke();
  };
  const [right, bottom] = [bbox.left + bbox.width, bbox.top + bbox.height];
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  if (graph.limit !== undefined) {
    const y = plot.valToPos(graph.limit, 'y', true);
    if (y >= bbox.top && y <= bottom) line(colours.limit, [bbox.left, y], [right, y]);
  }
  for (const { at } of happened) {
    const x = plot.valToPos(at, 'x', true);
    if (x >= bbox.left && x <= right) line(colours.happened, [x, bbox.top], [x, bottom]);
  }
  ctx.restore();
}

/** What stood there at a point: its time, the value of each line, and what had just happened. */
function wordsAt(
  { graph, times, happened, range }: Plotted,
  index: number | null | undefined,
): string | undefined {
  const at = typeof index === 'number' ? times[index] : undefined;
  if (at === undefined || typeof index !== 'number') return undefined;
  const next = times[index + 1] ?? Infinity;
  const values = graph.lines.map(
    ({ name, values: all }) => `${graph.lines.length > 1 ? `${name} ` : ''}${graph.shown(all[index] ?? 0)}`,
  );
  const then = happened.filter((one) => one.at >= at && one.at < next).map(({ name }) => name);
  return [timeWithin(range, new Date(at * 1000)), ...values, ...then].join(' · ');
}
