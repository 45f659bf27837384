/** Whose things on an engine are, for those that another installation may have made. */

export interface ServiceMark {
  id: string;
  labels: Record<string, string>;
  /** Folders of its node that are mounted into it. */
  folders: string[];
}

/** A thing that bears Berth's label and not the id of this installation. */
export interface OthersThing {
  kind: 'service' | 'network' | 'volume' | 'container';
  name: string;
  /** Null: it was made before there were ids. */
  installationId: string | null;
  labels: Record<string, string>;
}

export interface EngineMarks {
  /**
   * Sets labels of a service itself, which its containers do not get: its tasks stay. Takes a service that
   * bears another installation's id only when it is told so.
   */
  labelService(
    name: string,
    labels: Readonly<Record<string, string>>,
    options?: { takesForeign: boolean },
  ): Promise<void>;
  /** Labels of a service, whoever made it, and the folders of its node that are mounted into it. */
  markOf(name: string): Promise<ServiceMark | undefined>;
  /** What other installations of Berth made on this engine, or Berth before its things bore an id. */
  othersThings(): Promise<OthersThing[]>;
}
