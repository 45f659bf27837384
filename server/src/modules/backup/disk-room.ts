/** The free disk space for what backups and restores write on Berth's own machine. */
import { localServer, serverKeyOf } from '../../domain/names/server-key.ts';
import type { DiskRoom } from '../../domain/resources/free-disk.ts';
import type { Engine } from '../../ports/engine/engine.ts';

export interface DiskRooms {
  ofFolder(folder: string): Promise<DiskRoom>;
  /** The disk with the volumes of a service; undefined on another machine, where it cannot be measured. */
  ofVolumes(service: { serverId: string | null } | undefined): Promise<DiskRoom | undefined>;
}

export interface DiskRoomParts {
  hosts: { of(serverKey: string): Promise<{ engine: Pick<Engine, 'info'> }> };
  files: { freeBytes(path: string): Promise<number> };
  settings: { get(): Promise<{ minFreeDisk: number }> };
}

export function createDiskRooms({ hosts, files, settings }: DiskRoomParts): DiskRooms {
  const ofFolder: DiskRooms['ofFolder'] = async (folder) => ({
    free: await files.freeBytes(folder),
    kept: (await settings.get()).minFreeDisk,
  });
  return {
    ofFolder,
    async ofVolumes(service) {
      if (!service || serverKeyOf(service) !== localServer) return undefined;
      const { engine } = await hosts.of(localServer);
      return ofFolder((await engine.info()).rootDirectory);
    },
  };
}
