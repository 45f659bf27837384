/** What each kind of service asks for. */
import { useId, useState, type ReactElement } from 'react';
import { Findings, useFileCheck } from '../compose/file-check.tsx';
import { fieldsOf } from '../form/fields.ts';
import { TextField } from '../form/text-field.tsx';
import type { Path } from '../live/api.ts';
import { databaseKinds, kindWords } from '../live/services.ts';
import { Drop } from './drop.tsx';
import { TemplateFields } from './gallery.tsx';
import type { Kind, Values } from './make.ts';

interface FieldsProps {
  values: Values;
  faults: Readonly<Record<string, string>>;
  onEdit: (change: Partial<Values>) => void;
}

export function KindFields({ kind, ...props }: FieldsProps & { kind: Kind }): ReactElement {
  const Fields = fields[kind];
  return <Fields {...props} />;
}

function Git({ values, faults, onEdit }: FieldsProps): ReactElement {
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_160px]">
      <TextField
        label="Git address"
        autoFocus
        required
        example="https://github.com/you/shop"
        value={values.url}
        onEdit={(url) => onEdit({ url })}
        fault={faults['customGitUrl']}
      />
      <TextField
        label="Branch"
        required
        value={values.branch}
        onEdit={(branch) => onEdit({ branch })}
        fault={faults['customGitBranch']}
      />
    </div>
  );
}

const Image = ({ values, faults, onEdit }: FieldsProps): ReactElement => (
  <TextField
    label="Image"
    autoFocus
    required
    example="nginx:1.27"
    value={values.image}
    onEdit={(image) => onEdit({ image })}
    fault={faults['containerImage']}
    help="From another registry, with its host: registry.example.com/shop:2"
  />
);

const Upload = ({ values, onEdit }: FieldsProps): ReactElement => (
  <Drop
    file={values.archive}
    onFile={(archive, name) => onEdit({ archive, ...(values.name === '' ? { name } : {}) })}
  />
);

const Template = ({ values, faults, onEdit }: FieldsProps): ReactElement | null =>
  values.template ? (
    <TemplateFields
      template={values.template}
      host={values.host}
      hosts={values.hosts}
      variables={values.variables}
      faults={faults}
      onHost={(host) => onEdit({ host })}
      onHosts={(name, host) => onEdit({ hosts: { ...values.hosts, [name]: host } })}
      onVariable={(name, value) => onEdit({ variables: { ...values.variables, [name]: value } })}
      onBack={() => onEdit({ template: undefined })}
    />
  ) : null;

function Database({ values, faults, onEdit }: FieldsProps): ReactElement {
  const id = useId();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div className="field">
        <label htmlFor={id}>Kind</label>
        <select
          id={id}
          className="input"
          value={values.databaseKind}
          onChange={({ target }) =>
            onEdit({ databaseKind: databaseKinds.find((one) => one === target.value) ?? 'postgres' })
          }
        >
          {databaseKinds.map((one) => (
            <option key={one} value={one}>
              {kindWords[one]}
            </option>
          ))}
        </select>
        <p className="help">
          Name, user and a generated password are set; its Data tab shows the connection.
        </p>
      </div>
      <TextField
        label="Image (optional)"
        placeholder={
          fieldsOf(`${values.databaseKind}.create` as Path).find(({ n }) => n === 'containerImage')?.d
        }
        help="Decides the version. It can be upgraded later, never downgraded."
        value={values.image}
        onEdit={(image) => onEdit({ image })}
        fault={faults['containerImage']}
      />
    </div>
  );
}

function Compose(props: FieldsProps): ReactElement {
  const { values, faults, onEdit } = props;
  const [isOfGit, setOfGit] = useState(false);
  const check = useFileCheck(values.file, { enabled: !isOfGit });
  return (
    <div className="grid gap-4">
      <label className="flex items-center gap-3 text-13">
        <input
          type="checkbox"
          className="switch"
          checked={isOfGit}
          onChange={({ target }) => {
            setOfGit(target.checked);
            onEdit({ url: '' });
          }}
        />
        From a repository
      </label>
      {isOfGit ? (
        <>
          <Git {...props} />
          <TextField
            label="Path of the file"
            required
            className="mono"
            value={values.composePath}
            onEdit={(composePath) => onEdit({ composePath })}
            fault={faults['composePath']}
          />
        </>
      ) : (
        <div className="grid gap-1.5">
          <TextField
            label="Compose file"
            className="mono min-h-[200px]"
            rows={10}
            required
            value={values.file}
            onEdit={(file) => onEdit({ file })}
            fault={faults['composeFile']}
          />
          <Findings check={check} />
        </div>
      )}
    </div>
  );
}

const fields: Record<Kind, (props: FieldsProps) => ReactElement | null> = {
  git: Git,
  image: Image,
  upload: Upload,
  template: Template,
  database: Database,
  compose: Compose,
};
