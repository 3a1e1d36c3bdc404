/** Names of the files that routes put into a container: `/py-spy-` and 12 hexadecimal digits. */
export function isInnerFile(path: string): boolean {
  return /^\/py-spy-[0-9a-f]{12}$/.test(path);
}
