/** Templates to choose from; the chosen one with what it asks. */
import { useState, type ReactElement } from 'react';
import { TextField } from '../form/text-field.tsx';
import { useAsk, type Answer, type Input } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Empty, Fault, Notice, SkeletonRows } from '../parts/notices.tsx';
import { texts } from './texts.ts';

type Template = Answer<'template.one'>;

/** Of the organization's catalogues it is named with its catalogue. */
export type Picked = Input<'template.one'>;

export function Gallery({ onPick }: { onPick: (picked: Picked) => void }): ReactElement {
  const { data, error } = useAsk('template.all', {});
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const [tag, setTag] = useState('');
  const tags = [...new Set(data?.flatMap((one) => one.tags))].toSorted();
  const [from, setFrom] = useState('');
  const catalogues = [...new Map(data?.map((one) => [keyOf(one), one.catalogue?.name ?? 'Berth']))];
  const shown = data?.filter(
    (one) =>
      (from === '' || keyOf(one) === from) &&
      (tag === '' || one.tags.includes(tag)) &&
      `${one.title} ${one.description} ${one.tags.join(' ')}`.toLowerCase().includes(wanted),
  );
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <input
          type="search"
          className="input sm:max-w-[300px]"
          placeholder="Search templates"
          aria-label="Search templates"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <select
          className="input sm:max-w-[200px]"
          aria-label="Tag"
          value={tag}
          onChange={(event) => setTag(event.target.value)}
        >
          <option value="">All tags</option>
          {tags.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        {catalogues.length > 1 && (
          <select
            className="input sm:max-w-[200px]"
            aria-label="Catalogue"
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          >
            <option value="">All catalogues</option>
            {catalogues.map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
      <Fault error={error} />
      {!data && !error && <SkeletonRows rows={4} />}
      {shown?.length === 0 && (
        <Empty icon="search" title="Nothing matches">
          Any compose file can be pasted instead.
        </Empty>
      )}
      <ul className="grid gap-2 sm:grid-cols-2">
        {shown?.map(({ name, title, description, icon, images, catalogue }) => (
          <li key={`${catalogue?.templateCatalogueId ?? ''} ${name}`}>
            <button
              type="button"
              className="panel grid h-full w-full content-start gap-1 p-3 text-start hover:bg-hover"
              onClick={() =>
                onPick({ name, ...(catalogue && { templateCatalogueId: catalogue.templateCatalogueId }) })
              }
            >
              <span className="flex items-center gap-2 text-13 font-medium">
                {icon && <img src={icon} alt="" width={20} height={20} />}
                {title}
                {catalogue && <span className="text-12 font-normal text-muted">{catalogue.name}</span>}
              </span>
              <span className="text-12 text-muted">{description}</span>
              <code className="cut text-12 text-faint" title={images.join('\n')}>
                {images[0]}
                {images.length > 1 && ` and ${images.length - 1} more`}
              </code>
            </button>
          </li>
        ))}
      </ul>
      <p className="text-12 text-faint">{texts.templates}</p>
    </div>
  );
}

const keyOf = ({ catalogue }: { catalogue: Template['catalogue'] }): string =>
  catalogue?.templateCatalogueId ?? 'berth';

export function TemplateFields({
  template,
  host,
  hosts,
  variables,
  faults,
  onHost,
  onHosts,
  onVariable,
  onBack,
}: {
  template: Template;
  host: string;
  hosts: Readonly<Record<string, string>>;
  variables: Readonly<Record<string, string>>;
  faults: Readonly<Record<string, string>>;
  onHost: (host: string) => void;
  onHosts: (name: string, host: string) => void;
  onVariable: (name: string, value: string) => void;
  onBack: () => void;
}): ReactElement {
  const asked = template.variables.filter(
    ({ generate, value }) => (generate === null && !value.includes('${')) || generate === 'password',
  );
  const [first, ...further] = template.domains;
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="text-16">{template.title}</h2>
          <p className="text-13 text-muted">
            {template.description}{' '}
            <a href={template.website} target="_blank" rel="noreferrer" className="underline">
              {template.website.replace('https://', '')}
            </a>
          </p>
        </div>
        <Button small icon="back" onClick={onBack}>
          Other templates
        </Button>
      </div>
      {first ? (
        <TextField
          label="Host"
          placeholder="A test name"
          help={texts.templateHost}
          value={host}
          onEdit={onHost}
          fault={faults['host']}
        />
      ) : (
        <p className="text-13 text-muted">{texts.templateWithoutDomain}</p>
      )}
      {further.map(({ name, path, description }) => (
        <TextField
          key={name}
          label={`Host of ${name}`}
          placeholder={
            path !== '/' ? `that above, at ${path}` : host === '' ? 'A test name' : `${name}.${host}`
          }
          help={description || texts.templateFurtherHost}
          value={hosts[name] ?? ''}
          onEdit={(text) => onHosts(name, text)}
          fault={faults[`hosts.${name}`]}
        />
      ))}
      <Notice tone="busy">
        <b className="font-medium">First sign-in.</b> {template.firstSignIn}
      </Notice>
      {asked.map(({ name, description, generate, value, required, secret }) => (
        <TextField
          key={name}
          label={name}
          className="mono"
          type={secret ? 'password' : 'text'}
          autoComplete="off"
          help={description}
          required={required && generate === null && value === ''}
          placeholder={generate === 'password' ? 'generated' : value}
          value={variables[name] ?? ''}
          onEdit={(text) => onVariable(name, text)}
          fault={faults[`variables.${name}`]}
        />
      ))}
      <details className="text-13">
        <summary className="text-muted">Its compose file</summary>
        <pre className="mt-2 max-h-[320px] overflow-auto rounded-md bg-sunken p-3 text-12" tabIndex={0}>
          {template.file}
        </pre>
      </details>
    </div>
  );
}
