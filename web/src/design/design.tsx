/** Every part of the dashboard on one page, for looking at and for tests. */
import { useState, type ReactElement } from 'react';
import { TextField } from '../form/text-field.tsx';
import { applyTheme, storedTheme, themes } from '../frame/theme.ts';
import { createLogStore } from '../log/lines.ts';
import { LogView } from '../log/log-view.tsx';
import { Bars, Line } from '../parts/bars.tsx';
import { Button } from '../parts/button.tsx';
import { Value } from '../parts/copy.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Graphs } from '../parts/graphs.tsx';
import { Mark, markNames } from '../parts/mark.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Fault, Notice, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { bytes, percent } from '../parts/units.ts';

const colours = [
  'canvas',
  'surface',
  'raised',
  'sunken',
  'hover',
  'pressed',
  'line',
  'edge',
  'faint',
  'muted',
  'ink',
  'accent',
  'up',
  'busy',
  'warn',
  'down',
];
const sizes = [12, 13, 14, 16, 20, 28];
const swatches: Record<string, string> = {
  canvas: 'bg-canvas',
  surface: 'bg-surface',
  raised: 'bg-raised',
  sunken: 'bg-sunken',
  hover: 'bg-hover',
  pressed: 'bg-pressed',
  line: 'bg-line',
  edge: 'bg-edge',
  faint: 'bg-faint',
  muted: 'bg-muted',
  ink: 'bg-ink',
  accent: 'bg-accent',
  up: 'bg-up',
  busy: 'bg-busy',
  warn: 'bg-warn',
  down: 'bg-down',
};
const typeSizes: Record<number, string> = {
  12: 'text-12',
  13: 'text-13',
  14: 'text-14',
  16: 'text-16',
  20: 'text-20',
  28: 'text-28',
};

export function Design(): ReactElement {
  const [theme, setTheme] = useState(storedTheme);
  const [isAsking, setAsking] = useState(false);
  return (
    <main>
      <Page
        title="Design"
        about="Every screen is made of these parts."
        actions={themes.map((one) => (
          <Button
            key={one}
            aria-pressed={theme === one}
            onClick={() => {
              applyTheme(one);
              setTheme(one);
            }}
          >
            {one}
          </Button>
        ))}
      >
        <Panel title="Colour" isPadded>
          <ul className="grid grid-cols-2 gap-3 text-12 sm:grid-cols-4 lg:grid-cols-8">
            {colours.map((name) => (
              <li key={name}>
                <span className={`mb-1 block h-10 rounded-md border border-line ${swatches[name]}`} />
                {name}
              </li>
            ))}
          </ul>
        </Panel>
        <Panel title="Type" isPadded>
          {sizes.map((size) => (
            <p key={size} className={typeSizes[size]}>
              {size}: Ships come in, ships go out
            </p>
          ))}
          <p className="mt-2 font-mono text-13">13 monospace: GET /health 200 4 ms</p>
        </Panel>
        <Panel title="Status" isPadded>
          <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4 lg:grid-cols-5">
            {markNames.map((name) => (
              <li key={name}>
                <Mark of={name} />
              </li>
            ))}
          </ul>
        </Panel>
        <Panel title="Buttons" isPadded>
          <div className="flex flex-wrap gap-2">
            <Button look="primary" icon="deployment">
              Deploy
            </Button>
            <Button>Cancel</Button>
            <Button look="quiet">Details</Button>
            <Button look="danger">Delete</Button>
            <Button look="danger filled" onClick={() => setAsking(true)}>
              Delete for good
            </Button>
            <Button disabled>Not now</Button>
            <Button isBusy look="primary">
              Deploy
            </Button>
            <Button small>Small</Button>
            <Menu
              label="More"
              items={[
                { label: 'Restart', icon: 'refresh', onPick: () => undefined },
                'line',
                { label: 'Delete', icon: 'close', isDanger: true, onPick: () => undefined },
              ]}
            />
          </div>
        </Panel>
        <Panel title="Form" isPadded>
          <div className="grid max-w-[480px] gap-4">
            <TextField
              label="Name"
              value="shop"
              help="Letters, digits and dashes."
              onEdit={() => undefined}
            />
            <TextField
              label="Port"
              value="99999"
              fault="Port must be at most 65535."
              onEdit={() => undefined}
            />
            <label className="flex items-center gap-2 text-13">
              <input type="checkbox" className="switch" defaultChecked /> Deploys after a push
            </label>
          </div>
        </Panel>
        <Panel title="Table">
          <Sample />
        </Panel>
        <Panel title="Log">
          <SampleLog />
        </Panel>
        <Panel title="Lines" isPadded>
          <Bars values={[0, 3, 5, 2, 8, 13, 9, 4, 0, 0, 2, 7, 11, 6]} label="Requests" />
          <Line values={[10, 14, 13, 20, 24, 22, 30, 26, 24]} label="Memory" top={40} />
        </Panel>
        <SampleGraphs />
        <Panel title="Empty">
          <Empty
            title="Deploy your first application"
            action={<Button look="primary">New service</Button>}
            command="berth deploy"
          >
            Give a git address, an image or a folder.
          </Empty>
        </Panel>
        <Panel title="Error and notices" isPadded>
          <div className="grid gap-2">
            <Fault
              title="Failed in the stage build"
              error={
                'The build ended with exit code 1: npm ERR! missing script: build. ' +
                'Add the script, or choose another builder.'
              }
              onRetry={() => undefined}
            />
            <Notice>2 changes are not deployed.</Notice>
            <Notice tone="busy">A backup is under way.</Notice>
            <Notice tone="up">The certificate is issued.</Notice>
            <Notice tone="down">It ran out of memory 3 times.</Notice>
          </div>
        </Panel>
        <Panel title="Skeleton">
          <SkeletonRows rows={3} isSample />
        </Panel>
        {isAsking && (
          <Confirm
            title="Delete shop?"
            verb="Delete"
            typed="shop"
            onClose={() => setAsking(false)}
            onConfirm={async () => undefined}
          >
            <p>Its volumes stay.</p>
          </Confirm>
        )}
      </Page>
    </main>
  );
}

function Sample(): ReactElement {
  return (
    <table className="table">
      <thead>
        <tr>
          <th>Service</th>
          <th>Condition</th>
          <th>Image</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td className="font-medium">web</td>
          <td>
            <Mark of="up" />
          </td>
          <td>
            <Value what="image">shop/web:4f2a91c</Value>
          </td>
        </tr>
        <tr>
          <td className="font-medium">worker</td>
          <td>
            <Mark of="degraded" />
          </td>
          <td>
            <Value what="image">shop/worker:4f2a91c</Value>
          </td>
        </tr>
      </tbody>
    </table>
  );
}

/** A day of a service that is used by day, and was deployed once. */
function SampleGraphs(): ReactElement {
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const times = Array.from({ length: 240 }, (_, at) => now - (240 - at) * 15);
  const wave = times.map((_, at) => 0.5 + Math.sin(at / 20) / 3 + Math.sin(at * 1.7) / 20);
  return (
    <Graphs
      times={times}
      happened={[{ at: now - 1200, name: 'deployed: Show prices with tax' }]}
      graphs={[
        {
          title: 'Processors',
          lines: [{ name: 'used', values: wave.map((value) => value * 40) }],
          shown: percent,
        },
        {
          title: 'Memory',
          lines: [{ name: 'used', values: wave.map((value) => (2 + value) * 1e8) }],
          shown: bytes,
          limit: 2.9e8,
        },
        {
          title: 'Network',
          lines: [
            { name: 'in', values: wave.map((value) => value * 9e5) },
            { name: 'out', values: wave.map((value) => (1 - value) * 4e6) },
          ],
          shown: bytes,
        },
      ]}
    />
  );
}

const sampleLines = [
  'Cloning https://example.com/shop.git',
  '\u001b[1mStep 1\u001b[0m \u001b[36mFROM\u001b[0m node:24',
  '\u001b[32m✓\u001b[0m 214 modules transformed',
  '\u001b[33mwarning\u001b[0m: two versions of react',
  'ERROR listen EADDRINUSE: address already in use :::3000',
  '<script>alert("text stays text")</script>',
];

function SampleLog(): ReactElement {
  const [store] = useState(() => {
    const made = createLogStore();
    for (const text of sampleLines) made.add({ text, at: '2026-01-01T10:00:00.123Z' });
    return made;
  });
  return <LogView store={store} label="sample log" name="sample" height="h-[160px]" />;
}
