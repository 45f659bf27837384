/** Berth's own machine: what builds there, what keeps containers from it, what takes its disk in vain. */
import { useState, type ReactElement } from 'react';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Copy } from '../parts/copy.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Mark } from '../parts/mark.tsx';
import { Fault, Notice, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { bytes } from '../parts/units.ts';

/** The programs beside Docker that build types need. */
export function Builders(): ReactElement | null {
  const { data } = useAsk('settings.builders', {}, { retry: false });
  if (!data) return null;
  return (
    <Panel title="Builders">
      <ul className="rows text-13">
        {data.map(({ name, buildTypes, version, problem, install }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
            <Mark of={version === null ? 'none' : 'done'} word={version ?? 'Not installed'} />
            <span className="min-w-24 font-medium">{name}</span>
            <span className="flex-1 text-faint">for {buildTypes.join(', ')}</span>
            {version === null && (
              <span className="flex min-w-0 basis-full items-center gap-1 text-faint sm:basis-auto">
                <span className="[overflow-wrap:anywhere]">{problem ?? install}</span>
                <Copy text={install} what={`how to install ${name}`} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Whether containers reach ports of the machine itself. */
export function PortWall(): ReactElement | null {
  const { data } = useAsk('settings.portWall', {}, { retry: false });
  if (!data) return null;
  return (
    <Panel title="Ports of this machine" isPadded>
      {data.isSet ? (
        <p className="flex items-center gap-3 text-13">
          <Mark of="done" word="Closed" />
          Containers do not reach Berth’s own port, nor the engine’s.
        </p>
      ) : (
        <Notice tone="warn">
          Containers can reach Berth’s own port and the engine’s: {data.problem ?? 'no rules are set.'}
        </Notice>
      )}
    </Panel>
  );
}

const kinds = {
  image: 'Image',
  container: 'Container',
  buildCache: 'Build cache',
  deployments: 'Deployments',
} as const;
const shown = 20;

/** What a clean-up would free, and the clean-up. */
export function CleanUp(): ReactElement {
  const [withCaches, setCaches] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const found = useAsk('cleanup.preview', { caches: withCaches }, { retry: false });
  const run = useDo('cleanup.run');
  const { items = [], failures = [] } = run.data ?? {};
  return (
    <Panel
      title="Clean-up"
      actions={
        <Button
          small
          isBusy={run.isPending}
          disabled={!found.data || found.data.items.length === 0}
          onClick={() => setAsking(true)}
        >
          {found.data && found.data.items.length > 0 ? `Free ${bytes(found.data.bytes)}` : 'Nothing to free'}
        </Button>
      }
    >
      <div className="grid gap-2 p-3 empty:hidden">
        <Fault error={found.error ?? run.error} />
        {run.data && (
          <Notice tone="up">
            Removed {items.length} {items.length === 1 ? 'thing' : 'things'}, {bytes(run.data.bytes)}.
          </Notice>
        )}
        {failures.map((failure) => (
          <Notice key={failure}>{failure}</Notice>
        ))}
        <label className="flex items-center gap-2 text-13">
          <input type="checkbox" checked={withCaches} onChange={() => setCaches(!withCaches)} />
          Build caches, too: the next build of each organization begins anew
        </label>
      </div>
      {found.isLoading ? (
        <SkeletonRows rows={3} />
      ) : (
        <ul className="rows text-13">
          {found.data?.items.slice(0, shown).map(({ kind, name, bytes: size, reason }) => (
            <li key={`${kind} ${name}`} className="flex min-h-(--row) items-center gap-4 px-4">
              <span className="w-24 shrink-0 text-faint">{kinds[kind]}</span>
              <span className="cut flex-1" title={name}>
                {name}
              </span>
              <span className="cut flex-1 text-faint max-md:hidden">{reason}</span>
              <span className="shrink-0 tabular-nums">{size === null ? '' : bytes(size)}</span>
            </li>
          ))}
          {found.data && found.data.items.length > shown && (
            <li className="px-4 py-2 text-faint">and {found.data.items.length - shown} more</li>
          )}
        </ul>
      )}
      {isAsking && (
        <Confirm
          title="Clean up?"
          verb="Remove"
          isDanger={false}
          onClose={() => setAsking(false)}
          onConfirm={() => run.mutateAsync({ caches: withCaches })}
        >
          <p>
            {found.data?.items.length} things that Berth made and nothing needs are removed. Volumes, and what
            Berth did not make, stay.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

/** Data from before a restore or an upgrade. */
export function FormerVolumes(): ReactElement | null {
  const { data } = useAsk('cleanup.formerVolumes', {}, { retry: false });
  if (!data || data.length === 0) return null;
  return (
    <Panel title="Former volumes">
      <ul className="rows text-13">
        {data.map(({ volumeName, name, bytes: size, since, removedAt }) => (
          <li key={volumeName} className="flex min-h-(--row) items-center gap-4 px-4">
            <span className="cut flex-1" title={volumeName}>
              {name}: {volumeName}
            </span>
            <span className="tabular-nums">{size === null ? '' : bytes(size)}</span>
            <Ago at={since} />
            <span className="text-faint max-sm:hidden">
              {removedAt === null ? (
                'stays'
              ) : (
                <>
                  goes <Ago at={removedAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
