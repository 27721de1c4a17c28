export default {
  mode: 'production',
  entry: './main.js',
  experiments: { outputModule: true },
  output: { module: true },
}
