/** How a schedule is called, and the runs of a pipeline that belong together: after the pipeline, and the environment in which it runs. */
export const scheduleName = (pipeline: string, environment?: string): string =>
  environment === undefined ? pipeline : `${pipeline}@${environment}`;
