/** Whether the engine's own init is process 1 of a task; `auto`: unless the image brings one. Pure. */
export const initChoices = ['auto', 'on', 'off'] as const;

/** Programs that are process 1 themselves: s6-overlay ends when it is not, the others do the same work. */
const ownInits = /(?:^|\/)(?:init|tini(?:-static)?|dumb-init|catatonit|s6-svscan|runit-init|my_init)$/;

/** For a task that starts `program`; undefined where that is not known. */
export const hasInit = (choice: (typeof initChoices)[number], program = ''): boolean =>
  choice === 'auto' ? !ownInits.test(program) : choice === 'on';
