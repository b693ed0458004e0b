/** Reports something wrong at a key of what is being resolved. */
export type Report = (key: string, message: string) => void;
