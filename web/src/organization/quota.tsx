/** What an organization may use of the installation, in units of people; empty is as much as there is. */
import { useState, type FormEvent, type ReactElement } from 'react';
import { TextField } from '../form/text-field.tsx';
import { faultsOf } from '../form/faults.ts';
import { useAsk, useDo, type Answer, type Input } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';

type Usage = Answer<'organization.usage'>;
type Part = keyof Usage['quota'];

const GiB = 2 ** 30;
const parts: Record<Part, { label: string; unit: number }> = {
  services: { label: 'Services', unit: 1 },
  nanoCpus: { label: 'Processors, in cores', unit: 1e9 },
  memoryBytes: { label: 'Memory in GiB', unit: GiB },
  builds: { label: 'Builds at once', unit: 1 },
  backupBytes: { label: 'Backups in GiB', unit: GiB },
  diskBytes: { label: 'Volumes and images in GiB', unit: GiB },
  records: { label: 'Records of each kind', unit: 1 },
};
const names = Object.keys(parts) as Part[];

interface QuotaProps {
  organizationId: string;
  name: string;
  onClose: () => void;
}

export function Quota({ organizationId, name, onClose }: QuotaProps): ReactElement {
  const { data, error } = useAsk('organization.usage', { organizationId }, { retry: false });
  return (
    <Dialog title={`Quota of ${name}`} onClose={onClose}>
      <Fault error={error} />
      {data ? (
        <QuotaForm {...{ organizationId, onClose }} usage={data} />
      ) : (
        !error && <SkeletonRows rows={5} />
      )}
    </Dialog>
  );
}

function QuotaForm({
  organizationId,
  usage: { quota, used },
  onClose,
}: {
  organizationId: string;
  usage: Usage;
  onClose: () => void;
}): ReactElement {
  const change = useDo('organization.setQuota');
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(names.map((part) => [part, inUnits(part, quota[part])])),
  );
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const faults = { ...faultsOf(change.error), ...wrong };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const input = names.map((part) => [part, valueOf(part, values[part] ?? '')] as const);
    const unfit = input.filter(([, value]) => Number.isNaN(value));
    setWrong(Object.fromEntries(unfit.map(([part]) => [part, 'Enter a number, or leave it empty.'])));
    if (unfit.length === 0)
      change.mutate({ organizationId, ...Object.fromEntries(input) } as Input<'organization.setQuota'>, {
        onSuccess: onClose,
      });
  };
  return (
    <form className="grid gap-4" data-form="organization.setQuota" data-stored onSubmit={submit} noValidate>
      {names.map((part) => (
        <TextField
          key={part}
          name={part}
          label={parts[part].label}
          help={`Uses ${inUnits(part, used[part as keyof typeof used] ?? 0)} now`}
          inputMode="decimal"
          placeholder={part === 'records' ? 'such as 2000' : 'as much as there is'}
          value={values[part] ?? ''}
          onEdit={(value) => setValues((former) => ({ ...former, [part]: value }))}
          fault={faults[part]}
        />
      ))}
      <Fault error={Object.keys(faults).length > 0 ? null : change.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

const inUnits = (part: Part, value: number | null): string =>
  value === null ? '' : String(Math.round((value / parts[part].unit) * 100) / 100);

/** null: no limit; NaN: not a number. */
const valueOf = (part: Part, text: string): number | null =>
  text.trim() === '' ? null : Math.round(Number(text.replace(',', '.')) * parts[part].unit);
