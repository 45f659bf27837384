/** The role of a member, and what a Member reaches and may do. */
import { useState, type FormEvent, type ReactElement } from 'react';
import { wordsFor } from '../form/form.tsx';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import type { Member } from './member.ts';
import { texts } from './texts.ts';

const roles = ['owner', 'admin', 'member'] as const;

export function Grants({ member, onClose }: { member: Member; onClose: () => void }): ReactElement {
  const { data: projects = [] } = useAsk('project.all', {});
  const update = useDo('organization.updateMember');
  const [role, setRole] = useState(member.role);
  const [grants, setGrants] = useState(member.grants);
  const flags = Object.entries(grants).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    update.mutate(
      { userId: member.userId, ...(role === member.role ? {} : { role }), grants },
      { onSuccess: onClose },
    );
  };
  const toggle = (id: string): void => {
    const has = grants.accessedProjects.includes(id);
    setGrants({
      ...grants,
      accessedProjects: has
        ? grants.accessedProjects.filter((one) => one !== id)
        : [...grants.accessedProjects, id],
    });
  };
  return (
    <Dialog title={member.name} onClose={onClose}>
      <form
        className="grid gap-4 text-13"
        data-form="organization.updateMember"
        data-stored
        onSubmit={submit}
      >
        <div className="field" data-field="role">
          <label htmlFor="role">Role</label>
          <select
            id="role"
            className="input"
            value={role}
            onChange={(event) => setRole(roles.find((one) => one === event.target.value) ?? role)}
          >
            {roles.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
        {role === 'member' && (
          <fieldset className="grid gap-2" data-field="accessedProjects">
            <legend className="mb-2 font-medium">Reaches these projects</legend>
            {projects.map(({ projectId, name }) => (
              <label key={projectId} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  checked={grants.accessedProjects.includes(projectId)}
                  onChange={() => toggle(projectId)}
                />
                <span className="cut">{name}</span>
              </label>
            ))}
            {projects.length === 0 && <p className="text-faint">There is no project yet.</p>}
          </fieldset>
        )}
        <fieldset className="grid gap-2 sm:grid-cols-2">
          <legend className="mb-2 font-medium">May</legend>
          {flags
            .filter(([name]) => role === 'member' || name === 'canReadSecrets')
            .map(([name, value]) => (
              <label key={name} className="flex items-center gap-2" data-field={name}>
                <input
                  type="checkbox"
                  checked={value}
                  onChange={(event) => setGrants({ ...grants, [name]: event.target.checked })}
                />
                {texts.grants[name] ?? name}
              </label>
            ))}
        </fieldset>
        <p className="text-12 text-faint">{texts.programs}</p>
        <Fault error={update.error} words={wordsFor('organization.updateMember')} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={update.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
