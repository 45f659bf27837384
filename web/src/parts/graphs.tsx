/** What was measured, as graphs over one range of time that a person chooses. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { Panel } from './page.tsx';
import { rangeNames, ranges, type Graph, type Happening, type Range } from './ranges.ts';

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

/** The range that the address names. */
export function useRange(): [Range, (range: Range) => void] {
  const search: { range?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  return [
    rangeNames.find((name) => name === search.range) ?? '1h',
    (range) =>
      void navigate({
        to: '.',
        search: (former: Record<string, unknown>) => ({
          ...former,
          range: range === '1h' ? undefined : range,
        }),
        replace: true,
      } as never),
  ];
}

export function Graphs({
  graphs,
  times,
  happened = [],
}: {
  graphs: readonly Graph[];
  /** Of all values, in seconds since 1970, oldest first. */
  times: readonly number[];
  happened?: readonly Happening[];
}): ReactElement {
  const [range, setRange] = useRange();
  return (
    <Panel title="Use" actions={<RangeChoice range={range} onChoose={setRange} />} isPadded>
      <div className="grid gap-x-6 gap-y-5 sm:grid-cols-2 xl:grid-cols-4">
        {graphs.map((graph) => (
          <One key={graph.title} graph={graph} times={times} happened={happened} range={range} />
        ))}
      </div>
    </Panel>
  );
}

export function RangeChoice({
  range,
  onChoose,
  names = rangeNames,
}: {
  range: Range;
  onChoose: (range: Range) => void;
  names?: readonly Range[];
}): ReactElement {
  return (
    <div role="group" aria-label="Range of time" className="flex gap-1">
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className={`button small ${name === range ? '' : 'quiet'}`}
          aria-pressed={name === range}
          onClick={() => onChoose(name)}
        >
          {ranges[name].word}
        </button>
      ))}
    </div>
  );
}

/** A graph with its newest values, or those under the pointer. */
function One({
  graph,
  times,
  happened,
  range,
}: {
  graph: Graph;
  times: readonly number[];
  happened: readonly Happening[];
  range: Range;
}): ReactElement {
  const [pointed, setPointed] = useState<string | undefined>();
  const { title, lines, shown, limit } = graph;
  const now = lines
    .map(({ name, values }) => `${lines.length > 1 ? `${name} ` : ''}${shown(values.at(-1) ?? 0)}`)
    .join(', ');
  return (
    <figure className="min-w-0">
      <figcaption className="flex min-h-10 flex-col">
        <span className="text-12 text-faint">{title}</span>
        <span className="cut text-13 font-medium tabular-nums">
          {pointed ?? `${now}${limit === undefined ? '' : ` of ${shown(limit)}`}`}
        </span>
      </figcaption>
      <div
        className="h-[120px]"
        role="img"
        aria-label={`${title} of the last ${ranges[range].word}; now ${now}`}
      >
        <Suspense>
          <Plot graph={graph} times={times} happened={happened} range={range} onPoint={setPointed} />
        </Suspense>
      </div>
    </figure>
  );
}
