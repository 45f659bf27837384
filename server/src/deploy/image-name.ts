/** Names of the images Berth builds: its own repository per application, the deployment as tag (kept for rollback). */

/** Images of this prefix are on the server that built them and in no registry. */
export const builtPrefix = 'berth-build/';

/** Repository names are lower case (image reference grammar), ids are not. */
export const builtRepository = (applicationId: string): string => `${builtPrefix}${applicationId.toLowerCase()}`;

export const builtImage = (applicationId: string, deploymentId: string): string => `${builtRepository(applicationId)}:${deploymentId}`;
