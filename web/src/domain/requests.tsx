/** How many requests a domain had in the last hour, and the last of them. */
import { useMemo, type ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { Bars } from '../parts/bars.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';

export function Requests({ domainId }: { domainId: string }): ReactElement {
  const { data, error } = useAsk('domain.requests', { domainId }, { every: 10_000 });
  const log = useAsk('domain.accessLog', { domainId, tail: 50 }, { every: 10_000 });
  const values = useMemo(() => lastHour(data?.minutes ?? []), [data]);
  const failed = data?.minutes.reduce((sum, { statuses }) => sum + failuresOf(statuses), 0) ?? 0;
  const all = data?.minutes.reduce((sum, { requests }) => sum + requests, 0) ?? 0;
  return (
    <div className="border-t border-line">
      <Fault error={error ?? log.error} />
      <div className="grid gap-2 p-4">
        <p className="text-13 text-muted">
          {all.toLocaleString('en')} requests in the last hour
          {failed > 0 && <span className="text-down">, {failed} failed</span>}
        </p>
        <Bars values={values} label="Requests by minute, of the last hour" />
      </div>
      {!log.data && <SkeletonRows rows={3} />}
      {log.data && log.data.length > 0 && (
        <div
          className="max-h-[320px] overflow-auto border-t border-line"
          tabIndex={0}
          role="group"
          aria-label="Last requests"
        >
          <table className="table">
            <thead>
              <tr>
                <th>Time</th>
                <th>Status</th>
                <th>Request</th>
                <th className="!text-end">Took</th>
              </tr>
            </thead>
            <tbody>
              {log.data.toReversed().map((request, at) => (
                <tr key={at}>
                  <td className="font-mono text-12 whitespace-nowrap">{request.at.slice(11, 19)}</td>
                  <td
                    className={
                      request.status >= 500 ? 'text-down' : request.status >= 400 ? 'text-warn' : 'text-up'
                    }
                  >
                    {request.status}
                  </td>
                  <td className="max-w-0 w-full">
                    <span className="cut block font-mono text-12" title={request.path}>
                      {request.method} {request.path}
                    </span>
                  </td>
                  <td className="text-end whitespace-nowrap tabular-nums">
                    {Math.round(request.durationMs)} ms
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

const failuresOf = (statuses: Readonly<Record<string, number>>): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => (Number(status) >= 500 ? sum + count : sum), 0);

function lastHour(minutes: readonly { minute: string; requests: number }[]): number[] {
  const now = Math.floor(Date.now() / 60_000);
  const counts = new Map(
    minutes.map(({ minute, requests }) => [Math.floor(Date.parse(minute) / 60_000), requests]),
  );
  return Array.from({ length: 60 }, (_, at) => counts.get(now - 59 + at) ?? 0);
}
