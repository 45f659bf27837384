/** Catalogues of templates that the organization adds to those of Berth. */
import type { ReactElement } from 'react';
import { toast } from '../frame/toasts.tsx';
import { Collection, type Row } from '../form/collection.tsx';
import { useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Ago } from '../parts/time.tsx';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);

const about =
  'Repositories of templates of your own, or of Dokploy, Coolify and CapRover. Read again every day; ' +
  'services made of them are told of newer forms.';

export function TemplateCatalogues(): ReactElement {
  return (
    <Collection
      title="Catalogues of templates"
      noun="catalogue"
      about={about}
      id="templateCatalogueId"
      list="templateCatalogue.all"
      create="templateCatalogue.create"
      update="templateCatalogue.update"
      remove="templateCatalogue.remove"
      show={['name', 'url', 'branch', 'folder', 'username', 'password']}
      change={{
        url: { label: 'Repository', example: 'https://git.example.com/acme/templates.git' },
        branch: { help: 'Empty: the default branch', isFolded: true },
        folder: { help: 'Where its templates lie. Empty: anywhere', example: 'blueprints', isFolded: true },
        username: { label: 'User name', help: 'Where the repository is private', isFolded: true },
        password: { label: 'Password or token', help: 'Never shown again', isFolded: true },
      }}
      name={({ name }) => text(name)}
      detail={(row) => <Detail row={row} />}
      actions={(row) => <ReadAgain row={row} />}
      removal="Its templates are no longer offered. Services made of them stay as they are."
      command="berth template catalogues"
    />
  );
}

function ReadAgain({ row }: { row: Row }): ReactElement {
  const refresh = useDo('templateCatalogue.refresh');
  return (
    <Button
      small
      look="quiet"
      isBusy={refresh.isPending}
      onClick={() =>
        refresh.mutate(
          { templateCatalogueId: text(row['templateCatalogueId']) },
          {
            onSuccess: ({ name, templateCount }) => toast(`${name} was read: ${templateCount} templates.`),
          },
        )
      }
    >
      Read again
    </Button>
  );
}

function Detail({ row }: { row: Row }): ReactElement {
  const { url, templateCount, leftOut, readAt, lastError } = row;
  const left = Array.isArray(leftOut) ? (leftOut as readonly { name: string; reason: string }[]) : [];
  return (
    <>
      {text(url)}; {count(templateCount)} templates, read <Ago at={text(readAt)} />
      {text(lastError) !== '' && <span className="block text-warn">{text(lastError)}</span>}
      {left.length > 0 && (
        <details>
          <summary>{left.length} left out</summary>
          <ul className="grid gap-1">
            {left.map(({ name, reason }) => (
              <li key={name} className="min-w-0 break-words">
                <b className="font-medium">{name}</b>: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
