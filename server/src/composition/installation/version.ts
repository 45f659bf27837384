import packageFile from '../../../../package.json' with { type: 'json' };

/** Version of this Berth (package.json). */
export const version: string = packageFile.version;
