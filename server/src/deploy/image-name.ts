/** Names of the images Berth builds: its own repository per application, the deployment as tag (kept for rollback). */

/** Repository names are lower case (image reference grammar), ids are not. */
export const builtRepository = (applicationId: string): string => `berth-build/${applicationId.toLowerCase()}`;

export const builtImage = (applicationId: string, deploymentId: string): string => `${builtRepository(applicationId)}:${deploymentId}`;
