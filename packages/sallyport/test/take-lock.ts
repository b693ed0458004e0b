/** For tests of folders that get it as an argument. */
export { takeFileLock } from '../src/storage/file-lock.ts';
