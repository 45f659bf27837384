import { useState, type ReactElement } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { keysAreOn, setKeys } from './keys.ts';

const rows: readonly [string[], string][] = [
  [['Ctrl', 'K'], 'Find a service, do something'],
  [['/'], 'Filter what is shown'],
  [['j'], 'Next row; k: the one before; Enter opens'],
  [['g', 'h'], 'Home'],
  [['g', 'p'], 'Projects'],
  [['g', 'd'], 'Deployments'],
  [['g', 'v'], 'Servers'],
  [['g', 's'], 'Settings'],
  [['l'], 'In a service: logs'],
  [['v'], 'In a service: variables'],
  [['d'], 'In a service: deployments'],
  [['t'], 'In a service: terminal'],
  [['?'], 'These keys'],
];

export function KeysHelp({ onClose }: { onClose: () => void }): ReactElement {
  const [areOn, setOn] = useState(keysAreOn);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-2 text-13">
        {rows.map(([keys, what]) => (
          <div key={what} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="key">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd className="text-muted">{what}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex items-center gap-2 text-13">
        <input
          type="checkbox"
          className="switch"
          checked={areOn}
          onChange={(event) => {
            setKeys(event.target.checked);
            setOn(event.target.checked);
          }}
        />
        Single keys are on
      </label>
    </Dialog>
  );
}
