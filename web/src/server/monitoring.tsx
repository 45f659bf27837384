/** What measures a server and its containers: begun here, and told when somebody is to hear of it. */
import { useState, type FormEvent, type ReactElement } from 'react';
import { TextField } from '../form/text-field.tsx';
import { useDo, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Fault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { texts } from './texts.ts';

type Server = Answer<'server.one'>;

/** Seconds between two measurements. */
const refreshRate = 10;
/** Names the endpoint for other programs; it is not opened. */
const port = 4500;
const cronJob = '0 3 * * *';

/** For other programs that read the endpoint; Berth itself needs none. */
const newToken = (): string =>
  [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export function Monitoring({ server }: { server: Server }): ReactElement {
  const { serverId, metricsConfig } = server;
  const former = metricsConfig?.server;
  const setUp = useDo('server.setupMonitoring');
  const [days, setDays] = useState(String(former?.retentionDays ?? 7));
  const [cpu, setCpu] = useState(String(former?.thresholds.cpu ?? 0));
  const [memory, setMemory] = useState(String(former?.thresholds.memory ?? 0));
  const [address, setAddress] = useState(former?.urlCallback ?? '');
  const tells = Number(cpu) > 0 || Number(memory) > 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setUp.mutate({
      serverId,
      metricsConfig: {
        server: {
          refreshRate: former?.refreshRate ?? refreshRate,
          port: former?.port ?? port,
          token: newToken(),
          // Never asked while no threshold is set.
          urlCallback: address || location.origin,
          retentionDays: Number(days),
          cronJob: former?.cronJob ?? cronJob,
          thresholds: { cpu: Number(cpu), memory: Number(memory) },
        },
        containers: metricsConfig?.containers ?? { refreshRate, services: { include: [], exclude: [] } },
      },
    });
  };
  const number = { type: 'number', inputMode: 'numeric', min: 0 } as const;
  return (
    <Panel title="Monitoring" isPadded>
      <form
        className="grid gap-4"
        data-form="server.setupMonitoring"
        data-stored={metricsConfig !== null || undefined}
        onSubmit={submit}
      >
        <p className="text-13 text-muted">{metricsConfig ? texts.measured : texts.notMeasured}</p>
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField
            name="retentionDays"
            label="Days that are kept"
            {...number}
            value={days}
            onEdit={setDays}
          />
          <TextField
            name="cpu"
            label="Tell above processor %"
            {...number}
            max={100}
            value={cpu}
            onEdit={setCpu}
          />
          <TextField
            name="memory"
            label="Tell above memory %"
            {...number}
            max={100}
            value={memory}
            onEdit={setMemory}
          />
        </div>
        {tells && (
          <TextField
            name="urlCallback"
            label="Address that is told"
            type="url"
            required
            example="https://example.com/berth"
            help={texts.thresholds}
            value={address}
            onEdit={setAddress}
          />
        )}
        <Fault error={setUp.error} />
        <div>
          <Button type="submit" isBusy={setUp.isPending}>
            {metricsConfig ? 'Save and set up again' : 'Measure this server'}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
