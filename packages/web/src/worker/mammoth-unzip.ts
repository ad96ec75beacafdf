// In place of mammoth's own unzipping for browsers, which takes bytes alone: extraction hands it an opened archive, so that
// mammoth unpacks nothing itself.

/** The archive that was handed over. */
export function openZip({ file }: { readonly file?: object }): Promise<object> {
  return file === undefined
    ? Promise.reject(new Error('Only an opened archive is read here.'))
    : Promise.resolve(file);
}
