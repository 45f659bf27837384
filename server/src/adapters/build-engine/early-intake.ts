/** An engine that is told of an image before it is there, so that it has got ready meanwhile. */
import { openIntake, type Intake } from '../engine/images/image-load.ts';
import { archiveBeginning, emptyArchive } from './layer-archive.ts';

export interface EarlyIntake {
  /** Tells it, the first time. It is told that nothing comes when nobody takes it within a few seconds. */
  open(): void;
  /** The intake that was opened, while it is held, or a new one; either has got the archive's beginning. */
  take(): Intake;
  /** Nothing comes any more. */
  close(): void;
}

/** An engine that waits has a program running. In longer builds the time that it saves is nothing. */
const defaultHeldMs = 5_000;

export function createEarlyIntake(socketPath: string, heldMs = defaultHeldMs): EarlyIntake {
  let held: Intake | undefined;
  let isTold = false;
  let timer: NodeJS.Timeout | undefined;
  const letGo = (): Intake | undefined => {
    clearTimeout(timer);
    const former = held;
    held = undefined;
    return former;
  };
  const close = (): void => letGo()?.end(emptyArchive());
  return {
    open() {
      if (isTold) return;
      isTold = true;
      held = openIntake(socketPath, archiveBeginning());
      timer = setTimeout(close, heldMs);
      timer.unref();
    },
    take() {
      const former = letGo();
      if (former?.isOpen() === true) return former;
      former?.end(emptyArchive());
      return openIntake(socketPath, archiveBeginning());
    },
    close,
  };
}
