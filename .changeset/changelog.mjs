// The entries of the changelogs: the notes as they are. All packages have one version, so that lines about updated
// packages of the repository say nothing.
export default {
  getReleaseLine({ summary }) {
    const [first, ...rest] = summary.trim().split('\n');
    return Promise.resolve(
      [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n'),
    );
  },
  getDependencyReleaseLine: () => Promise.resolve(''),
};
