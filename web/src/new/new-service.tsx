/** A new service in three steps: what it is made of, its name, then its log. */
import { useSearch } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactElement } from 'react';
import { TextField } from '../form/text-field.tsx';
import { faultsOf } from '../form/faults.ts';
import { Go, useGo } from '../frame/link.tsx';
import { ask, refresh, useAsk } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Fault } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Gallery, type Picked } from './gallery.tsx';
import { KindFields } from './kind-fields.tsx';
import { make, type Begun, type Kind, type Values } from './make.ts';
import { nameFrom, newPlace } from './names.ts';
import { Place } from './place.tsx';
import { Steps } from './steps.tsx';
import { texts } from './texts.ts';

const icons: Record<Kind, IconName> = {
  git: 'branch',
  upload: 'upload',
  image: 'box',
  template: 'template',
  database: 'database',
  compose: 'stack',
};
const kinds = Object.keys(icons) as Kind[];

export function NewService(): ReactElement {
  const search: { environment?: string; kind?: string } = useSearch({ strict: false });
  const { data: projects } = useAsk('project.all', {});
  const [kind, setKind] = useState<Kind>(kinds.find((one) => one === search.kind) ?? 'git');
  const [isStarted, setStarted] = useState(false);
  const isFirst = projects?.every(({ environments }) =>
    environments.every((one) => one.applications.length + one.compose.length + one.postgres.length === 0),
  );
  return (
    <Page title={isFirst ? texts.first : texts.title} isNarrow>
      <Steps at={isStarted ? 1 : 0} />
      <div role="radiogroup" aria-label="Source" className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-3">
        {kinds.map((one) => (
          <button
            key={one}
            type="button"
            role="radio"
            aria-checked={kind === one}
            onClick={() => setKind(one)}
            className={
              'panel grid content-start gap-1 p-3 text-start hover:bg-hover ' +
              'aria-checked:border-accent aria-checked:ring-1 aria-checked:ring-accent'
            }
          >
            <span className="flex items-center gap-2 text-13 font-medium">
              <Icon name={icons[one]} />
              {texts.kinds[one][0]}
            </span>
            <span className="text-12 text-faint max-sm:hidden">{texts.kinds[one][1]}</span>
          </button>
        ))}
      </div>
      {projects && (
        <Details
          key={kind}
          kind={kind}
          places={projects.flatMap(newPlace)}
          environment={search.environment}
          onEdit={() => setStarted(true)}
        />
      )}
    </Page>
  );
}

interface DetailsProps {
  kind: Kind;
  places: readonly { value: string; label: string }[];
  environment: string | undefined;
  onEdit: () => void;
}

function Details({ kind, places, environment, onEdit }: DetailsProps): ReactElement {
  const go = useGo();
  const [values, setValues] = useState<Values>(() => ({
    name: '',
    environmentId: environment ?? places[0]?.value ?? '',
    project: 'My project',
    url: '',
    branch: 'main',
    image: '',
    file: 'services:\n  web:\n    image: nginx:1.27\n',
    composePath: './docker-compose.yml',
    databaseKind: 'postgres',
    host: '',
    hosts: {},
    variables: {},
  }));
  const [state, setState] = useState<{ isBusy: boolean; error: unknown; begun?: Begun }>({
    isBusy: false,
    error: null,
  });
  const edit = (change: Partial<Values>): void => {
    setValues((former) => ({ ...former, ...change }));
    onEdit();
  };
  const name =
    values.name || values.template?.name || nameFrom(values.url || (kind === 'image' ? values.image : ''));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setState({ isBusy: true, error: null });
    make(kind, { ...values, name }).then(
      (begun) => {
        void refresh('project', 'service');
        if (begun.refusal === undefined) go(begun.target);
        else setState({ isBusy: false, error: null, begun });
      },
      (error: unknown) => setState({ isBusy: false, error }),
    );
  };
  const pick = (picked: Picked): void =>
    void ask('template.one', picked).then(
      (found) => edit({ template: found, hosts: {}, variables: {} }),
      (error: unknown) => setState({ isBusy: false, error }),
    );
  if (state.begun) return <NotDeployed name={name} begun={state.begun} />;
  const faults = faultsOf(state.error);
  if (kind === 'template' && !values.template)
    return (
      <>
        <Fault error={state.error} />
        <Gallery onPick={pick} />
      </>
    );
  return (
    <Panel isPadded>
      <form className="grid gap-4" onSubmit={submit}>
        <KindFields {...{ kind, values, faults }} onEdit={edit} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Name"
            required={name === ''}
            {...(name === '' ? { example: 'shop' } : { placeholder: name })}
            value={values.name}
            onEdit={(text) => edit({ name: text })}
            fault={faults['name']}
          />
          <Place {...{ places, values }} onEdit={edit} />
        </div>
        <Fault error={state.error} />
        <div>
          <Button type="submit" look="primary" icon="deployment" isBusy={state.isBusy}>
            Deploy
          </Button>
        </div>
      </form>
    </Panel>
  );
}

/** The service is there; a second press of Deploy would make another one. */
function NotDeployed({ name, begun }: { name: string; begun: Begun }): ReactElement {
  return (
    <Panel isPadded>
      <div className="grid justify-items-start gap-4">
        <Fault title={`${name} was created, but not deployed`} error={begun.refusal} />
        <Go to={begun.target} className="font-medium underline">
          Open {name}
        </Go>
      </div>
    </Panel>
  );
}
