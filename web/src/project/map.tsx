/** The services of an environment as a map: cards to click, lines for what they refer to. */
import { useQueries } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactElement, type RefObject } from 'react';
import { Go } from '../frame/link.tsx';
import { ask, type Input, type Path } from '../live/api.ts';
import { kindWords, pathOf, type ServiceRow } from '../live/services.ts';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { Notice, SkeletonRows } from '../parts/notices.tsx';
import { named, procedureOf } from '../service/service.ts';
import { kindIcon } from '../service/service-rows.tsx';
import { edgesOf, layersOf, placesOf, type Edge, type Place } from './map-layout.ts';
import { texts } from './texts.ts';

const card = { width: 168, height: 120 };
const gap = { x: 12, y: 48, row: 16 };
/** Each service is asked for its variables. */
const mostServices = 60;
const mostDomains = 2;

interface Details {
  env: string;
  domains: readonly { host: string; https: boolean; path: string }[];
  volumes: number;
}

export function ServiceMap({ rows }: { rows: readonly ServiceRow[] }): ReactElement {
  if (rows.length > mostServices)
    return (
      <div className="p-4">
        <Notice>{texts.mapTooLarge(rows.length, mostServices)}</Notice>
      </div>
    );
  return <Picture rows={rows} />;
}

function Picture({ rows }: { rows: readonly ServiceRow[] }): ReactElement {
  const asked = useQueries({
    queries: rows.map(({ kind, id }) => {
      const [path, input] = [procedureOf(kind, 'one'), named(kind, id)];
      return {
        queryKey: [path, input],
        queryFn: ({ signal }: { signal: AbortSignal }) => ask(path, input as Input<Path>, signal),
      };
    }),
  });
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [active, setActive] = useState<string | undefined>();
  const details = new Map(rows.map(({ id }, at) => [id, detailsOf(asked[at]?.data)]));
  const nodes = rows.map(({ id, name, appName }) => ({
    id,
    name,
    appName,
    env: details.get(id)?.env ?? '',
  }));
  const edges = edgesOf(nodes);
  const ids = rows.map(({ id }) => id);
  const { places, height } = placesOf(layersOf(ids, edges), { width, card, gap });
  const isLoading = asked.some(({ isPending }) => isPending);
  const isMasked = nodes.some(({ env }) => env.includes('••••'));
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (
    <div className="p-4">
      {isMasked && <p className="mb-3 text-13 text-muted">{texts.mapMasked}</p>}
      <div ref={frame} className="relative" style={{ height: isLoading ? undefined : height }}>
        {isLoading ? (
          <SkeletonRows rows={4} />
        ) : (
          <>
            <Lines {...{ edges, places, width, height, active }} />
            <ul aria-label="Services of this environment" className="contents">
              {rows.map((row) => (
                <Card
                  key={row.id}
                  row={row}
                  place={places.get(row.id) ?? { x: 0, y: 0 }}
                  details={details.get(row.id)}
                  uses={edges.flatMap(({ from, to }) => (from === row.id ? [names.get(to) ?? ''] : []))}
                  onActive={(isActive) => setActive(isActive ? row.id : undefined)}
                />
              ))}
            </ul>
          </>
        )}
      </div>
      {!isLoading && edges.length === 0 && !isMasked && rows.length > 1 && (
        <p className="mt-4 text-13 text-muted">{texts.mapWithoutLines}</p>
      )}
    </div>
  );
}

function Card({
  row,
  place,
  details,
  uses,
  onActive,
}: {
  row: ServiceRow;
  place: Place;
  details: Details | undefined;
  uses: readonly string[];
  onActive: (isActive: boolean) => void;
}): ReactElement {
  const { domains = [], volumes = 0 } = details ?? {};
  const words = [kindWords[row.kind], ...(uses.length > 0 ? [`refers to ${uses.join(', ')}`] : [])];
  return (
    <li
      className="map-card"
      style={{ left: place.x, top: place.y, width: card.width, height: card.height }}
      onPointerEnter={() => onActive(true)}
      onPointerLeave={() => onActive(false)}
      onFocus={() => onActive(true)}
      onBlur={() => onActive(false)}
    >
      <Go
        to={pathOf(row)}
        className="map-link flex items-center gap-1.5 text-13 font-medium no-underline"
        title={`${row.name}: ${words.join(', ')}`}
      >
        <Icon name={kindIcon(row.kind)} size={14} />
        <span className="cut">{row.name}</span>
        <span className="sr-only">, {words.join(', ')}</span>
      </Go>
      <span className="text-12">
        <Mark of={row.condition} />
      </span>
      {domains.slice(0, mostDomains).map(({ host, https, path }) => (
        <a
          key={`${host}${path}`}
          href={`${https ? 'https' : 'http'}://${host}${path}`}
          target="_blank"
          rel="noreferrer"
          className="cut relative z-10 min-h-6 shrink-0 text-12 leading-6 text-muted"
          title={`${host}${path}`}
        >
          {host}
        </a>
      ))}
      <span className="cut text-12 text-faint">
        {[
          ...(domains.length > mostDomains ? [`${domains.length - mostDomains} more domains`] : []),
          ...(volumes > 0 ? [`${volumes} ${volumes === 1 ? 'volume' : 'volumes'}`] : []),
        ].join(', ')}
      </span>
    </li>
  );
}

/** From the lower edge of the service that refers to the upper edge of the other. */
function Lines({
  edges,
  places,
  width,
  height,
  active,
}: {
  edges: readonly Edge[];
  places: ReadonlyMap<string, Place>;
  width: number;
  height: number;
  active: string | undefined;
}): ReactElement {
  return (
    <svg width={width} height={height} className="absolute inset-0" aria-hidden="true">
      {edges.map(({ from, to }) => {
        const [start, end] = [places.get(from), places.get(to)];
        if (!start || !end) return null;
        const x1 = start.x + card.width / 2;
        const x2 = end.x + card.width / 2;
        const [y1, y2] = end.y > start.y ? [start.y + card.height, end.y] : [start.y, end.y + card.height];
        const bend = Math.max(24, Math.abs(y2 - y1) / 2) * (y2 > y1 ? 1 : -1);
        const isOn = active === from || active === to;
        return (
          <g key={`${from} ${to}`} className={isOn ? 'map-line on' : 'map-line'}>
            <path d={`M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`} />
            <circle cx={x2} cy={y2} r="3" />
          </g>
        );
      })}
    </svg>
  );
}

/** The answer of `one` of any kind; what a kind lacks is empty. */
function detailsOf(data: unknown): Details | undefined {
  if (data === null || typeof data !== 'object') return undefined;
  const any = data as Partial<Details> & { mounts?: readonly { type: string }[] };
  return {
    env: any.env ?? '',
    domains: any.domains ?? [],
    volumes: any.mounts?.filter(({ type }) => type === 'volume').length ?? 0,
  };
}

function useWidth(frame: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}
