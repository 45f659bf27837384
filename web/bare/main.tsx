/**
 * The baseline of `npm run bench -- dashboard`: React alone doing what the dashboard does, and nothing else.
 * A list of all services that is filtered and kept up to date by the stream of events; one service; one log.
 */
import { useEffect, useMemo, useState, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

interface Service {
  serviceId: string;
  name: string;
  projectName: string;
  environmentName: string;
  condition: string;
}

/** Whatever the stream tells has the list read again. */
async function followEvents(onTold: () => void, signal: AbortSignal): Promise<void> {
  const answer = await fetch('/api/event.stream', { signal, headers: { accept: 'text/event-stream' } });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return;
    if (value?.includes('data:')) onTold();
  }
}

function Home(): ReactElement {
  const [services, setServices] = useState<readonly Service[]>([]);
  const [filter, setFilter] = useState('');
  const [opened, setOpened] = useState<Service | undefined>();
  useEffect(() => {
    const read = (): void =>
      void fetch('/api/service.all')
        .then((answer) => answer.json())
        .then(setServices);
    read();
    const end = new AbortController();
    void followEvents(read, end.signal);
    return () => end.abort();
  }, []);
  const shown = useMemo(
    () => services.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase())),
    [services, filter],
  );
  if (opened)
    return (
      <>
        <h1>{opened.name}</h1>
        <p>{opened.condition}</p>
      </>
    );
  return (
    <>
      <h1>Home</h1>
      <input type="search" value={filter} onChange={(event) => setFilter(event.target.value)} />
      <ul>
        {shown.map((service) => {
          const { serviceId, name, projectName, environmentName, condition } = service;
          return (
            <li key={serviceId} data-row onClick={() => setOpened(service)}>
              <b className="font-medium">{name}</b> {projectName} / {environmentName} {condition}
            </li>
          );
        })}
      </ul>
    </>
  );
}

const lineHeight = 20;
const drawn = 60;

function Log({ deploymentId }: { deploymentId: string }): ReactElement {
  const [lines, setLines] = useState<readonly string[]>([]);
  const [first, setFirst] = useState(0);
  const [search, setSearch] = useState('');
  useEffect(() => {
    void fetch(`/api/deployments/${deploymentId}/log`)
      .then((answer) => answer.text())
      .then((text) => setLines(text.split('\n')));
  }, [deploymentId]);
  const found = useMemo(
    () => (search === '' ? lines : lines.filter((line) => line.includes(search))),
    [lines, search],
  );
  return (
    <>
      <h1>{lines.length} lines</h1>
      <input type="search" value={search} onChange={(event) => setSearch(event.target.value)} />
      <p role="status">{search === '' ? '' : `${found.length} of ${lines.length}`}</p>
      <div
        role="log"
        style={{ height: 700, overflow: 'auto' }}
        onScroll={({ currentTarget }) => setFirst(Math.floor(currentTarget.scrollTop / lineHeight))}
      >
        <div style={{ height: Math.min(15_000_000, found.length * lineHeight), position: 'relative' }}>
          {found.slice(first, first + drawn).map((line, at) => (
            <div key={first + at} style={{ position: 'absolute', top: (first + at) * lineHeight }}>
              {line}
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

/** Draws the end of a log with each piece that comes. */
function Followed({ deploymentId }: { deploymentId: string }): ReactElement {
  const [lines, setLines] = useState<readonly string[]>([]);
  useEffect(() => {
    const end = new AbortController();
    const read = async (): Promise<void> => {
      const input = encodeURIComponent(JSON.stringify({ deploymentId }));
      const answer = await fetch(`/api/deployment.logs?input=${input}`, { signal: end.signal });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) return;
        const events = (rest + value).split('\n\n');
        rest = events.pop() ?? '';
        const texts = events.map(
          (event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)).text as string,
        );
        setLines((former) => [...former, ...texts]);
      }
    };
    void read();
    return () => end.abort();
  }, [deploymentId]);
  return (
    <div role="log">
      <div>
        {lines.slice(-drawn).map((line) => (
          <div key={line}>{line}</div>
        ))}
      </div>
    </div>
  );
}

const root = document.getElementById('root');
const address = new URLSearchParams(location.search);
const [deploymentId, followed] = [address.get('log'), address.get('follow')];
if (root)
  createRoot(root).render(
    followed ? (
      <Followed deploymentId={followed} />
    ) : deploymentId ? (
      <Log deploymentId={deploymentId} />
    ) : (
      <Home />
    ),
  );
