/** What a container sees besides its image. */
export interface ServiceMount {
  /** `tmpfs`: memory of the container alone, without a source. */
  type: 'bind' | 'volume' | 'tmpfs';
  source: string;
  target: string;
  /** Of a volume: each task has its own, by the source and `-` and the number of its slot. */
  perSlot?: true;
  readOnly?: boolean;
  /** Labels of a volume that is made on the way. */
  labels?: Record<string, string>;
  /** Options of the driver `local` for a volume that is made on the way. */
  driverOptions?: Record<string, string>;
  /** Of a tmpfs. */
  sizeBytes?: number | undefined;
  /** Of a tmpfs: rights of its root. */
  mode?: number | undefined;
}
