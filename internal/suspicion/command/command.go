// Package command finds shell commands that fetch and run code, open the machine, send secrets out or decode
// what they run. It reads single lines: a command in prose counts like one in a block of code.
package command

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
	"github.com/alanbuscaglia/engram/internal/suspicion/grammar"
)

// What a line has that a rule finds: a part of each command.
var (
	decoders        = []string{"base64 -d", "base64 --decode", "xxd -r", "openssl enc -d", "openssl base64 -d"}
	decodersThatRun = []string{"eval(atob(", "exec(base64.b64decode(", "eval(base64.b64decode(", "exec(__import__('base64')", "eval(base64_decode(", "eval(buffer.from(", "powershell -enc ", "powershell -e ", "powershell -encodedcommand ", "pwsh -enc ",
		"powershell.exe -enc ", "-windowstyle hidden -enc"}
	fetchers    = []string{"curl ", "wget ", "irm ", "iwr ", "invoke-webrequest ", "invoke-restmethod ", "downloadstring("}
	openers     = []string{"/dev/tcp/", "nc -e /bin", "ncat -e ", "nc -lvp", "bash -i >&", "sh -i >&", "socat exec:"}
	startFiles  = []string{"authorized_keys", ".bashrc", ".zshrc", ".profile", "crontab -"}
	senders     = []string{"curl ", "wget ", "| nc ", "|nc ", "scp ", "invoke-webrequest ", "nslookup ", "dig "}
	unleashings = []string{"dangerously-skip-permissions", "dangerously-bypass-approvals", "chat.tools.autoapprove", "enableallprojectmcpservers", "bypasspermissions", "--yolo"}
	passings    = []string{"--no-verify", "verify=false", "rejectunauthorized: false", "node_tls_reject_unauthorized=0", "insecureskipverify", "stricthostkeychecking=no", "http.sslverify false", "setenforce 0", "ufw disable", "--disable-web-security"}
)

const (
	image    = "](http"
	deletion = "rm -rf "
)

// Literals returns what a text has in which Find (finding.Commands) or Decoding (finding.Decoders) finds something.
func Literals() map[finding.Group][]string {
	return map[finding.Group][]string{
		finding.Commands: slices.Concat(fetchers, openers, startFiles, senders, unleashings, passings, []string{image, deletion}),
		finding.Decoders: slices.Concat(decoders, decodersThatRun),
	}
}

// decodesBy holds characters of which every decode-and-run command has one.
const decodesBy = "|(-"

// decoded finds base64 -d | sh, eval(atob(…)), powershell -enc ….
func decoded(line string) (from, to int) {
	for _, w := range decoders {
		if i := strings.Index(line, w); i >= 0 {
			if end := shellAfterPipe(line, i); end > 0 {
				return i, end
			}
			for _, shell := range []string{"eval \"$(", "eval $(", "sh -c \"$(", "sh <("} {
				if j := strings.LastIndex(line[:i], shell); j >= 0 {
					return j, i + len(w)
				}
			}
		}
	}
	for _, w := range decodersThatRun {
		if i := strings.Index(line, w); i >= 0 {
			return i, i + len(w)
		}
	}
	return 0, 0
}

// Find finds shell commands that run downloaded code, open the machine or send its secrets.
// Each line is a command of its own, as in a shell.
func Find(text string, found *finding.Findings) {
	for from, line := range finding.Lines(text) {
		if len(line) > finding.MaxLine {
			line = line[:finding.MaxLine]
		}
		low := finding.Lowered(line)
		has := finding.CharsOf(low)
		for _, r := range lineRules {
			if !r.may(has, low) {
				continue
			}
			if at, to := r.find(low); to > at && !prevented(low[:at]) && !gone(low[at:]) {
				found.Add(r.code, r.why, from+at, from+to)
			}
		}
	}
}

// lineRule finds one kind of command in a lower-case line, at line[from:to].
type lineRule struct {
	code string
	why  string
	find func(line string) (from, to int)
	// may is a cheap filter on the characters of a line; false means that find returns nothing.
	may func(has finding.Chars, line string) bool
}

var lineRules = []lineRule{
	{finding.Command, "runs downloaded code without showing it", piped, func(has finding.Chars, _ string) bool { return has.Any("|(`&;") }},
	{finding.Command, "opens a shell to another machine", opened, func(has finding.Chars, line string) bool {
		return has.Any("&") && strings.Contains(line, ">&") || has.Any("-") && strings.Contains(line, "-e ") || has.Any(":") && strings.Contains(line, "exec:")
	}},
	{finding.Command, "asks to install a permanent key or command", planted, func(has finding.Chars, _ string) bool { return has.Any(">|") }},
	{finding.Exfil, "a command sends secrets to another machine", carried, func(has finding.Chars, line string) bool {
		return has.Any("@|`$") || has.Any(":") && strings.Contains(line, "scp ")
	}},
	{finding.Exfil, "leaks data through an image URL", imaged, func(has finding.Chars, _ string) bool { return has.Any("]") && has.Any("!") }},
	{finding.Bypass, "asks to disable an agent's confirmation prompts", unleashed, func(finding.Chars, string) bool { return true }},
	{finding.Bypass, "a check is to be passed over always", passing, func(has finding.Chars, line string) bool {
		return has.Any("-=_") || has.Any(":0.") && (strings.Contains(line, "unauthorized") || strings.Contains(line, "setenforce") || strings.Contains(line, "verify")) ||
			strings.Contains(line, "skipverify") || strings.Contains(line, "ufw ")
	}},
	{finding.Order, "a standing order destroys files", destroying, func(has finding.Chars, _ string) bool { return has.Any("-") }},
}

// prevented reports a prohibition or report of an attack before a command: "never pipe … into a shell".
func prevented(before string) bool {
	if i := strings.LastIndexAny(before, ".;!"); i >= 0 && i+1 < len(before) && before[i+1] == ' ' {
		before = before[i+1:]
	}
	for _, w := range []string{"never ", "do not use", "do not run", "do not pipe", "don't use", "don't run", "don't pipe", "must not ", "instead of ", "rather than ",
		"replaced ", "avoid ", "no longer ", "forbid", "blocked", "banned", "stopped ", "malware ", "attacker ", "attackers ", "exploit ", "compromised ", "refuses ", "rejects ", "nunca "} {
		if i := strings.LastIndex(before, w); i >= 0 && !strings.HasPrefix(before[i:], "never forget") && !strings.HasPrefix(before[i:], "never ask") {
			return true
		}
	}
	return false
}

// gone reports a removed command: "bash <(curl …) was replaced by a signed binary".
func gone(after string) bool {
	const reach = 200 // bytes
	after = after[:min(len(after), reach)]
	if i := strings.IndexAny(after, ".;"); i >= 0 && i+1 < len(after) && after[i+1] == ' ' {
		after = after[:i]
	}
	return finding.AnyOf(after, " was replaced", " were replaced", " was removed", " is forbidden", " is banned", " is blocked", " is rejected", " is no longer ", " must not ", " must never ")
}

// piped finds curl … | sh, bash <(curl …), sh -c "$(curl …)" and iex (irm …). Installers of
// well-known tools are ordinary, unless they are to run in each session.
func piped(line string) (from, to int) {
	fetch := fetches(line, 0)
	if fetch < 0 {
		return 0, 0
	}
	if knownInstaller(line[fetch:]) && !strings.Contains(line, "always ") && !strings.Contains(line, "every session") {
		return 0, 0
	}
	if i := shellAfterPipe(line, fetch); i > 0 {
		return fetch, i
	}
	before := line[max(0, fetch-40):fetch]
	for _, w := range []string{"sh <(", "sh -c \"$(", "sh -c '$(", "sh -c $(", "sh -c \"`", "eval \"$(", "eval $(", "eval `", "source <(", ". <(", "iex (", "iex(", "iex \"& {$(", "invoke-expression (", "iex ((new-object net.webclient).",
		"python3 -c \"$(", "python -c \"$("} {
		if i := strings.LastIndex(before, w); i >= 0 {
			return max(0, fetch-40) + i, min(len(line), fetch+60)
		}
	}
	// curl -o x … && sh x
	rest := line[fetch:]
	for _, then := range []string{"&& sh ", "&& bash ", "; sh ", "; bash ", "&& chmod +x", "; chmod +x", "&& ./", "&& python "} {
		if i := strings.Index(rest, then); i > 0 && i < 300 && strings.Contains(rest[:i], "http") && grammar.Away(rest[strings.Index(rest, "http"):i]) && unnamed(rest[:i]) {
			return fetch, fetch + i + len(then)
		}
	}
	return 0, 0
}

// unnamed reports an address that is a number or has no encryption.
func unnamed(line string) bool {
	i := strings.Index(line, "://")
	return strings.Contains(line, "http://") || i >= 0 && i+3 < len(line) && line[i+3] >= '0' && line[i+3] <= '9'
}

// fetches returns the beginning of the first download command from at on; -1 without one.
func fetches(line string, at int) int {
	best := -1
	for _, w := range fetchers {
		i := strings.Index(line[at:], w)
		if i >= 0 && (best < 0 || at+i < best) && (i+at == 0 || !finding.Letter(line[at+i-1])) {
			best = at + i
		}
	}
	return best
}

// shellAfterPipe returns the end of a shell behind a pipe after at; 0 without one.
func shellAfterPipe(line string, at int) int {
	for i := at; i < len(line); {
		j := strings.IndexByte(line[i:], '|')
		if j < 0 {
			return 0
		}
		i += j + 1
		rest := strings.TrimLeft(line[i:], " ")
		skipped := len(line) - i - len(rest)
		for _, w := range []string{"sudo ", "-e ", "env ", "/bin/", "/usr/bin/", "xargs "} {
			if strings.HasPrefix(rest, w) {
				rest, skipped = rest[len(w):], skipped+len(w)
			}
		}
		for _, sh := range []string{"bash", "zsh", "dash", "ksh", "sh", "python3", "python", "node", "perl", "ruby", "php", "iex", "pwsh", "powershell", "invoke-expression"} {
			if strings.HasPrefix(rest, sh) && (len(rest) == len(sh) || !finding.Letter(rest[len(sh)]) && !formats(rest[len(sh):])) {
				return i + skipped + len(sh)
			}
		}
	}
	return 0
}

// formats reports an interpreter with a program of its own: python3 -m json.tool.
func formats(rest string) bool {
	options := []string{" -m json", " -c ", " -e ", " -ne ", " -pe ", " -n ", " -p "}
	return slices.ContainsFunc(options, func(w string) bool { return strings.HasPrefix(rest, w) })
}

// knownInstaller reports the official installer address of a well-known tool.
func knownInstaller(rest string) bool {
	for _, host := range []string{"https://sh.rustup.rs", "https://bun.sh/", "https://get.docker.com", "https://astral.sh/", "https://deno.land/", "https://get.pnpm.io/", "https://install.python-poetry.org",
		"https://raw.githubusercontent.com/homebrew/", "https://raw.githubusercontent.com/nvm-sh/", "https://raw.githubusercontent.com/helm/", "https://get.helm.sh", "https://get.sdkman.io", "https://get.k3s.io",
		"https://ollama.com/", "https://mise.run", "https://fly.io/install", "https://sdk.cloud.google.com", "https://deb.nodesource.com/", "https://packages.gitlab.com/", "https://starship.rs/", "https://nixos.org/", "https://claude.ai/install"} {
		if i := strings.Index(rest, host); i >= 0 && i < 60 {
			return true
		}
	}
	return strings.Contains(rest[:min(len(rest), 60)], "sh.rustup.rs")
}

// opened finds a reverse shell.
func opened(line string) (from, to int) {
	for _, w := range openers {
		if i := strings.Index(line, w); i >= 0 && (strings.Contains(line, ">&") || strings.Contains(line, "-e ") || strings.Contains(line, "exec:")) {
			return i, i + len(w)
		}
	}
	return 0, 0
}

// planted finds a key or a download command that is added to a login or schedule file.
func planted(line string) (from, to int) {
	for _, w := range startFiles {
		i := strings.Index(line, w)
		if i < 0 {
			continue
		}
		write := max(strings.LastIndex(line[:i], ">>"), strings.LastIndex(line[:i], "| "))
		if write > 0 && (strings.Contains(line[:i], "ssh-rsa aaaa") || strings.Contains(line[:i], "ssh-ed25519 aaaa") || fetches(line[:i], 0) >= 0) {
			return write, i + len(w)
		}
	}
	return 0, 0
}

// carried finds curl -d @.env https://…, cat ~/.ssh/id_rsa | nc …, env | curl ….
func carried(line string) (from, to int) {
	sender := -1
	for _, w := range senders {
		if i := strings.Index(line, w); i >= 0 && (sender < 0 || i < sender) {
			sender = i
		}
	}
	if sender < 0 {
		return 0, 0
	}
	secret := -1
	for _, p := range grammar.SecretPaths {
		if i := strings.Index(line, p); i >= 0 && grammar.NamesSecrets(strings.TrimLeft(field(line, i), "@=\"'")) {
			secret = i
			break
		}
	}
	for _, w := range []string{"printenv", "$(env)", "`env`", "env |", "env|"} {
		if i := strings.Index(line, w); secret < 0 && i >= 0 && (i == 0 || !finding.Letter(line[i-1])) {
			secret = i
		}
	}
	if secret < 0 {
		return 0, 0
	}
	rest := line[sender:]
	switch {
	// The secret comes through a pipe or an option that sends a file.
	case secret < sender && strings.Contains(line[secret:sender+2], "|"),
		secret > sender && (strings.Contains(line[sender:secret], "@") || strings.Contains(line[sender:secret], "$(") || strings.Contains(line[sender:secret], "`")),
		strings.HasPrefix(rest, "scp ") && secret > sender && strings.Contains(line[secret:], ":"):
		return min(secret, sender), max(secret, sender) + 5
	}
	return 0, 0
}

// field returns the characters around i up to white space or quotation marks.
func field(line string, i int) string {
	from := strings.LastIndexAny(line[:i], " \t\"'`=@(") + 1
	rest := line[from:]
	if to := strings.IndexAny(rest, " \t\"'`|;)<>"); to >= 0 {
		rest = rest[:to]
	}
	return rest
}

// imaged finds ![x](https://…?q={conversation}), which a viewer loads automatically.
//
// Source: CVE-2025-32711.
func imaged(line string) (from, to int) {
	i := strings.Index(line, image)
	if i < 0 || !strings.Contains(line[:i], "![") {
		return 0, 0
	}
	url, _, _ := strings.Cut(line[i+2:], ")")
	_, query, ok := strings.Cut(url, "?")
	if !ok || !strings.ContainsAny(query, "{<[$") {
		return 0, 0
	}
	for _, w := range []string{"secret", "data", "conversation", "history", "token", "key", "chat", "summary", "memor", "user", "base64", "content", "password", "env"} {
		if strings.Contains(query, w) {
			return strings.LastIndex(line[:i], "!["), i + 2 + len(url)
		}
	}
	return 0, 0
}

// unleashed finds an instruction to disable the confirmations of an agent.
//
// Source: CVE-2025-53773.
func unleashed(line string) (from, to int) {
	for _, w := range unleashings {
		i := strings.Index(line, w)
		if i < 0 {
			continue
		}
		before := line[:i]
		before = before[strings.LastIndexAny(before, ".;")+1:]
		if w == "chat.tools.autoapprove" {
			before = line[:i]
		}
		for _, verb := range []string{"always ", "you must ", "you should ", "set ", "enable ", "add ", "write ", "put "} {
			if strings.HasPrefix(strings.TrimLeft(before, " \t-*\"'"), verb) || strings.Contains(before, "first "+verb) || strings.Contains(before, ", "+verb) || strings.Contains(before, "always ") {
				return i, i + len(w)
			}
		}
	}
	return 0, 0
}

// passing finds an option that skips a check permanently: "--no-verify every time".
func passing(line string) (from, to int) {
	for _, w := range passings {
		i := strings.Index(line, w)
		if i < 0 || strings.Contains(line, "never to be") {
			continue
		}
		for _, standing := range []string{"always ", "every ", "each ", " all ", "from now on", "never bring", "from here on"} {
			if strings.Contains(line, standing) && !finding.AnyOf(line, "only", "local", "mock", "dev ", "test", "never use", "forbidden", "rejects") {
				return i, i + len(w)
			}
		}
	}
	return 0, 0
}

// destroying finds rm -rf of a home or root directory in a standing instruction.
func destroying(line string) (from, to int) {
	i := strings.Index(line, deletion)
	if i < 0 {
		return 0, 0
	}
	target := strings.Trim(field(line, i+len(deletion)), "\"'`.,")
	switch target {
	case "/", "/*", "~", "~/", "~/*", "$home", "$home/", "$home/*", "/home", "/etc", "/usr", "*":
	default:
		return 0, 0
	}
	for _, w := range []string{"always ", "every session", "each session", "before answering", "whenever ", "before any", "before every", "before each", "you must "} {
		if strings.Contains(line, w) {
			return i, i + len(deletion) + len(target)
		}
	}
	return 0, 0
}

// Decoding finds encoded text that is to be decoded and run.
func Decoding(text string, found *finding.Findings) {
	for from, line := range finding.Lines(text) {
		line = line[:min(len(line), finding.MaxLine)]
		if !finding.CharsOf(line).Any(decodesBy) {
			continue
		}
		if at, to := decoded(finding.Lowered(line)); to > at && !prevented(finding.Lowered(line[:at])) {
			found.Add(finding.Blob, "asks to decode and run encoded text", from+at, from+to)
		}
	}
}
