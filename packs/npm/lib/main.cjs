'use strict'
// The command line of npm-hcp: which commands there are, what they take, and how
// their answers and complaints reach the caller.

const { Complaint } = require('./complaint.cjs')
const commands = require('./commands.cjs')

const usage = `usage: npm-hcp <command> [arguments] [--json]

  doctor               node, npm and what this project has
  ls [package]         installed packages and what is wrong with them
                       [--depth N] [--lock true] [--limit N]
  outdated [package]   packages with newer versions [--limit N]
  view <package>       what the registry knows about a package or version
  search <words>       packages in the registry [--limit N]
  audit                known vulnerabilities [--production true] [--limit N]
  explain <package>    why a package is installed [--limit N]
  pkg get <field>      a field of package.json
  scripts              the scripts of package.json
  pack files           what the package would contain [--limit N]

outdated, view, search and audit ask the registry over the network; audit sends
it the names and versions of the project's packages. Nothing installs, changes a
file or runs a script. The output is JSON with or without --json.
`

const switches = ['true', 'false']

// parse reads the words after the command against its declaration.
function parse(verb, spec, words) {
  const options = {}
  const bare = []
  let literal = false
  for (let i = 0; i < words.length; i++) {
    const word = words[i]
    if (literal || !word.startsWith('-') || word === '-') {
      bare.push(word)
    } else if (word === '--') {
      literal = true
    } else if (word === '--help' || word === '-h') {
      return null
    } else if (word !== '--json') {
      const cut = word.indexOf('=')
      const name = cut < 0 ? word : word.slice(0, cut)
      const kind = spec.options[name.slice(2)]
      if (!name.startsWith('--') || !kind) throw new Complaint(`${verb} takes no option "${name}"; npm-hcp --help lists them`)
      if (cut < 0 && i + 1 === words.length) throw new Complaint(`${name} needs a value`)
      options[name.slice(2)] = value(name, kind, cut < 0 ? words[++i] : word.slice(cut + 1))
    }
  }
  const [least, most] = spec.words
  if (bare.length < least || bare.length > most || bare.includes('')) throw new Complaint(`${verb} needs ${spec.needs}`)
  return { word: bare[0], ...options }
}

// value checks one option: a switch, or a number within [least, most].
function value(name, kind, text) {
  if (kind === 'switch') {
    if (!switches.includes(text)) throw new Complaint(`${name} is true or false, not "${text}"`)
    return text === 'true'
  }
  const number = Number(text)
  if (!/^[0-9]{1,4}$/.test(text) || number < kind[0] || number > kind[1]) throw new Complaint(`${name} is a number from ${kind[0]} to ${kind[1]}, not "${text}"`)
  return number
}

function main([npm, ...words]) {
  if (['--help', '-h', 'help'].includes(words[0])) return process.stdout.write(usage)
  if (words.length === 0) throw new Complaint('no command; npm-hcp --help lists them')
  let verb = words.shift()
  if (commands[`${verb}.${words[0]}`]) verb += `.${words.shift()}`
  const spec = Object.hasOwn(commands, verb) ? commands[verb] : null
  if (!spec) throw new Complaint(`unknown command "${verb}"; npm-hcp --help lists them`)
  const call = parse(verb, spec, words)
  if (call === null) return process.stdout.write(usage)
  process.stdout.write(JSON.stringify({ ok: true, verb, ...spec.run(npm, call) }) + '\n')
}

try {
  main(process.argv.slice(2))
} catch (error) {
  const said = error instanceof Complaint ? error : new Complaint(`npm answered in a form that this pack does not know (${error.message})`)
  process.stderr.write(`npm-hcp: ${said.message}\n`)
  process.exitCode = 1
}
