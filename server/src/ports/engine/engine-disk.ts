/** What lies on an engine's disk. Sizes in bytes, times ISO 8601. */
export interface DiskUsage {
  images: {
    id: string;
    tags: string[];
    /** It was exchanged with a registry. */
    isOfRegistry: boolean;
    /** Another installation of Berth built it. */
    isForeign: boolean;
    labels: Record<string, string>;
    /** Without the layers that others have too. */
    sizeBytes: number;
    /** With all of its layers. */
    wholeBytes: number;
    createdAt: string;
    /** How many containers are of it, ended ones too. */
    containers: number;
  }[];
  containers: {
    id: string;
    name: string;
    labels: Record<string, string>;
    state: string;
    createdAt: string;
    /** Of what it writes into itself, and into volumes that its image declares. */
    sizeBytes: number;
  }[];
  volumes: {
    name: string;
    labels: Record<string, string>;
    /** Null: the engine cannot tell. */
    sizeBytes: number | null;
  }[];
}

export interface EngineDisk {
  /** Images, and of containers and volumes those that Berth made. */
  diskUsage(): Promise<DiskUsage>;
  /** Removes an ended container of ours by its id; CONFLICT for another's, one that runs stays. */
  removeEnded(containerId: string): Promise<void>;
}
