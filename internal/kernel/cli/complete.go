package cli

import (
	"context"
	"strings"

	"bridle/internal/kernel/fault"
)

// completeWord is the verb by which the scripts of shells ask what may stand at
// the end of the words. The answer has a line for each offer, with a tabulator
// and an explanation where there is one; after the line filesToo, names of files
// may stand there as well.
const (
	completeWord = "__complete"
	filesToo     = ":files"
)

// complete answers for the words behind completeWord.
func (c *Call) complete(ctx context.Context, words []string) Result {
	if len(words) == 0 {
		words = []string{""}
	}
	root := c.root(c.App.Verbs)
	lines := root.complete(ctx, words[:len(words)-1], words[len(words)-1])
	return Result{Raw: strings.Join(lines, "\n")}
}

// complete lists what may stand behind the words and begins with word.
func (c *Command) complete(ctx context.Context, words []string, word string) []string {
	cmd, words := c.find(words)
	cmd.ctx = ctx
	flags := cmd.all()
	if n := len(words); n > 0 && flags.takesNext(words[n-1]) {
		return []string{filesToo}
	}
	args, dash, err := flags.parse(words)
	if err != nil {
		return nil
	}
	var lines []string
	offer := func(text, short string) {
		if strings.HasPrefix(text, word) {
			lines = append(lines, strings.TrimRight(text+"\t"+short, "\t"))
		}
	}
	if dash < 0 && strings.HasPrefix(word, "-") {
		for _, f := range flags.sorted() {
			_, usage := f.unquoted()
			offer("--"+f.Name, usage)
		}
		return lines
	}
	for _, child := range cmd.children {
		if len(args) == 0 && !child.Hidden {
			offer(child.Name(), child.Short)
		}
	}
	for _, text := range cmd.ValidArgs {
		offer(text, "")
	}
	if cmd.ValidArgsFunction != nil {
		for _, text := range cmd.ValidArgsFunction(cmd, args, word) {
			offer(text, "")
		}
	}
	if len(cmd.children) == 0 && cmd.ValidArgs == nil && cmd.ValidArgsFunction == nil {
		lines = append(lines, filesToo)
	}
	return lines
}

// shells are the shells that completion scripts exist for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completionScript is what a shell loads to ask the program.
func completionScript(program, shell string) (string, error) {
	var script string
	switch shell {
	case "bash":
		script = bashScript
	case "zsh":
		script = zshScript
	case "fish":
		script = fishScript
	case "powershell":
		script = powershellScript
	default:
		return "", fault.Newf(CodeUsage, "unknown shell %q", shell).
			WithHint("the shells are %s", strings.Join(shells, ", "))
	}
	name := strings.ReplaceAll(program, "-", "_")
	return strings.NewReplacer("PROGRAM", program, "NAME", name).Replace(script), nil
}

const bashScript = `# Completion of PROGRAM for bash.
_NAME() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o default 2>/dev/null
        elif [[ -n $line ]]; then
            COMPREPLY+=("${line%%$'\t'*}")
        fi
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _NAME PROGRAM
`

const zshScript = `#compdef PROGRAM
# Completion of PROGRAM for zsh.
_NAME() {
    local line
    local -a offers
    local files=
    for line in ${(f)"$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
        if [[ $line == :files ]]; then
            files=yes
        elif [[ -n $line ]]; then
            offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        fi
    done
    (( ${#offers} )) && _describe PROGRAM offers
    [[ -n $files ]] && _files
}
if [[ ${funcstack[1]} == _NAME ]]; then
    _NAME
else
    compdef _NAME PROGRAM
fi
`

const fishScript = `# Completion of PROGRAM for fish.
function __NAME_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c PROGRAM -f -a '(__NAME_complete)'
`

const powershellScript = `# Completion of PROGRAM for PowerShell.
Register-ArgumentCompleter -Native -CommandName PROGRAM -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | Select-Object -Skip 1 | ForEach-Object { "$_" })
    & PROGRAM __complete @words "$wordToComplete" 2>$null | Where-Object { $_ -and $_ -ne ':files' } | ForEach-Object {
        $text, $help = $_ -split [char]9, 2
        [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $(if ($help) { $help } else { $text }))
    }
}
`
