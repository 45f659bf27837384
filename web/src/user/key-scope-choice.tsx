/** What a new key may do: one of the ready-made choices, or boxes by area. */
import { useState, type ReactElement } from 'react';
import { KindCards } from '../form/kind-cards.tsx';
import { areas, boxOf, choices, levelNames, levels, offers, permissionsOf } from './key-scopes.ts';
import type { Permissions } from './key-scopes.ts';

export function KeyScopeChoice({
  onChange,
}: {
  /** Undefined: all that its user may. */
  onChange: (permissions: Permissions | undefined) => void;
}): ReactElement {
  const [chosen, setChosen] = useState('all');
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const tick = (box: string, isOn: boolean): void => {
    const next = new Set(ticked);
    if (isOn) next.add(box);
    else next.delete(box);
    setTicked(next);
    onChange(permissionsOf(next));
  };
  return (
    <div className="grid gap-3">
      <KindCards
        name="may"
        label="It may"
        options={choices}
        value={chosen}
        onEdit={(value) => {
          setChosen(value);
          const choice = choices.find((one) => one.value === value);
          onChange(value === 'chosen' ? permissionsOf(ticked) : choice?.permissions);
        }}
      />
      {chosen === 'chosen' && (
        <ul className="rows rounded-md border border-line text-13">
          {areas.map((area) => (
            <li key={area.name} className="px-3 py-2">
              <p>
                <span className="font-medium">{area.name}</span>{' '}
                <span className="text-12 text-faint">{area.about}</span>
              </p>
              <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
                {levelNames
                  .filter((level) => offers(area, level))
                  .map((level) => (
                    <label key={level} className="flex items-center gap-1.5">
                      <input
                        type="checkbox"
                        aria-label={`${levels[level].label}: ${area.name}`}
                        checked={ticked.has(boxOf(area, level))}
                        onChange={({ target }) => tick(boxOf(area, level), target.checked)}
                      />
                      {levels[level].label}
                    </label>
                  ))}
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
