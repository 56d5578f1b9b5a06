package engram_test

import (
	"maps"
	"slices"
	"testing"
)

// A room is one kind of place in the tree: what a package in it is, and what kinds
// of package it may import. The words are those of docs/architecture.md.
type room struct {
	imports []string // rooms whose packages it may import
	pure    bool     // no input or output: none of impureImports, no clock
}

// rooms is the table of arrows:
// cmd → cli → app → {frontends, technologies}, frontends → engine → rules → root,
// technologies → root, rules and assets. A disk is below them all.
func rooms() map[string]room {
	return map[string]room{
		"root":       {pure: true},
		"rule":       {pure: true, imports: []string{"root", "rule"}},
		"engine":     {pure: true, imports: []string{"root", "rule"}},
		"technology": {imports: []string{"root", "rule", "asset", "disk", "line"}},
		"frontend":   {imports: []string{"root", "rule", "engine"}},
		"config":     {imports: []string{"root", "rule", "disk"}},
		"app":        {imports: []string{"root", "rule", "engine", "technology", "frontend", "config", "asset", "disk"}},
		"measure":    {imports: []string{"root", "rule", "engine"}},
		"cli":        {imports: []string{"root", "rule", "engine", "app", "config", "measure", "asset", "disk"}},
		"disk":       {},                          // what technologies and others do to files in one way
		"line":       {imports: []string{"root"}}, // how technologies ask servers, in one way
		"asset":      {imports: []string{"root"}}, // what is installed elsewhere: texts and folders in the binary
		"cmd":        {imports: []string{"cli"}},
		"testkit":    {imports: []string{"root", "rule", "engine", "technology", "testkit"}},
		"tool":       {imports: []string{"root", "rule"}},
	}
}

// A row places one package: its room, and the modules it may use. Where a module is
// named, it is used nowhere else, so that replacing it means reading one folder.
type row struct {
	room    string
	modules []string
}

// rows has a row for every package of the module. A new package fails the tests
// until it has found its room.
func rows() map[string]row {
	const tea, lipgloss, ansi = "charm.land/bubbletea/v2", "charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi"
	const mcpSDK, cobra, pflag = "github.com/modelcontextprotocol/go-sdk", "github.com/spf13/cobra", "github.com/spf13/pflag"
	return map[string]row{
		".": {room: "root"},

		"internal/alias":         {room: "rule"},
		"internal/attend":        {room: "rule"},
		"internal/capture":       {room: "rule"},
		"internal/contradiction": {room: "rule"},
		"internal/gist":          {room: "rule"},
		"internal/document":      {room: "rule"},
		"internal/encoder":       {room: "rule"},
		"internal/health":        {room: "rule"},
		"internal/index":         {room: "rule"},
		"internal/index/vectors": {room: "rule"},
		"internal/index/lexicon": {room: "rule"},
		"internal/index/recent":  {room: "rule"},
		"internal/lifecycle":     {room: "rule"},
		"internal/llm":           {room: "rule"},
		"internal/postings":      {room: "rule"},
		"internal/project":       {room: "rule"},
		"internal/redact":        {room: "rule"},
		"internal/replica/wire":  {room: "rule"},
		"internal/relocate":      {room: "rule"},
		"internal/render":        {room: "rule", modules: []string{"github.com/aymanbagabas/go-udiff", "github.com/clipperhouse/displaywidth"}},
		"internal/retrieval":     {room: "rule"},
		"internal/secret":        {room: "rule"},
		"internal/setup/edit":    {room: "rule", modules: []string{"github.com/tailscale/hujson", "github.com/BurntSushi/toml"}},
		"internal/suspicion":     {room: "rule"},

		"internal/encoder/kernel":           {room: "rule", modules: []string{"golang.org/x/sys"}}, // the features of the processor
		"internal/encoder/kernel/kernelgen": {room: "tool"},
		"internal/encoder/safetensors":      {room: "rule"},

		"internal/suspicion/command": {room: "rule"},
		"internal/suspicion/finding": {room: "rule"},
		"internal/suspicion/grammar": {room: "rule"},
		"internal/suspicion/surface": {room: "rule"},

		"internal/text":      {room: "rule", modules: []string{"github.com/blevesearch/go-porterstemmer", "github.com/blevesearch/snowballstem", "golang.org/x/text"}},
		"internal/tokenizer": {room: "rule", modules: []string{"github.com/rivo/uniseg", "golang.org/x/text"}},
		"internal/topic":     {room: "rule"},
		"internal/vector":    {room: "rule", modules: []string{"golang.org/x/sys"}}, // the features of the processor
		"internal/wording":   {room: "rule"},

		"internal/engine":             {room: "engine"},
		"internal/engine/walk":        {room: "engine"},
		"internal/engine/screen":      {room: "engine"},
		"internal/engine/ledger":      {room: "engine"},
		"internal/engine/view":        {room: "engine"},
		"internal/engine/exposure":    {room: "engine"},
		"internal/engine/anchors":     {room: "engine"},
		"internal/engine/projects":    {room: "engine"},
		"internal/engine/forget":      {room: "engine"},
		"internal/engine/search":      {room: "engine"},
		"internal/engine/undo":        {room: "engine"},
		"internal/engine/read":        {room: "engine"},
		"internal/engine/relate":      {room: "engine"},
		"internal/engine/remember":    {room: "engine"},
		"internal/engine/brief":       {room: "engine"},
		"internal/engine/consolidate": {room: "engine"},
		"internal/engine/exchange":    {room: "engine"},
		"internal/engine/vault":       {room: "engine"},
		"internal/engine/sync":        {room: "engine"},
		"internal/engine/review":      {room: "engine"},

		"internal/atomicfile": {room: "disk"},
		"internal/endpoint":   {room: "line"},

		"internal/embedding/hub":     {room: "technology"},
		"internal/embedding/hubtest": {room: "testkit"},
		"internal/embedding/library": {room: "technology"},
		"internal/embedding/own":     {room: "technology"},
		"internal/sqlrow":            {room: "rule"},

		"internal/embedding/prefix":      {room: "rule"},
		"internal/embedding/provider":    {room: "technology"},
		"internal/embedding/static":      {room: "technology"},
		"internal/embedding/transformer": {room: "technology", modules: []string{"golang.org/x/sys"}},

		"internal/agentcli":            {room: "technology"},
		"internal/backfill":            {room: "technology"},
		"internal/backfill/transcript": {room: "rule"},
		"internal/chat":                {room: "technology"},
		"internal/daemon":              {room: "technology", modules: []string{"golang.org/x/sys"}},
		"internal/daemon/logfile":      {room: "technology"},
		"internal/git":                 {room: "technology"},
		"internal/replica/gitchunks":   {room: "technology", modules: []string{"filippo.io/age"}},
		"internal/replica/jsonfile":    {room: "technology"},
		"internal/replica/markdown":    {room: "technology", modules: []string{"go.yaml.in/yaml/v4"}},
		"internal/service":             {room: "technology"},
		"internal/setup":               {room: "technology"},
		"internal/setup/agent":         {room: "technology"},
		"internal/toggle":              {room: "technology"},
		"internal/machine":             {room: "technology", modules: []string{"golang.org/x/sys"}},
		"internal/notebook":            {room: "technology"},
		"internal/postgres":            {room: "technology"},
		"internal/postgres/conn":       {room: "technology", modules: []string{"github.com/jackc/pgx/v5"}},
		"internal/postgres/schema":     {room: "technology"},
		"internal/postgres/embeddings": {room: "technology"},
		"internal/postgres/segments":   {room: "technology"},
		"internal/sqlite":              {room: "technology", modules: []string{"modernc.org/sqlite"}},
		"internal/sqlite/conn":         {room: "technology", modules: []string{"modernc.org/sqlite"}},
		"internal/sqlite/segments":     {room: "technology"},
		"internal/sqlite/file":         {room: "technology", modules: []string{"modernc.org/sqlite"}},
		"internal/sqlite/embeddings":   {room: "technology"},

		"internal/replica/foreign":              {room: "technology"},
		"internal/replica/foreign/basicmemory":  {room: "technology"},
		"internal/replica/foreign/claudecode":   {room: "technology"},
		"internal/replica/foreign/claudemem":    {room: "technology"},
		"internal/replica/foreign/database":     {room: "technology", modules: []string{"modernc.org/sqlite"}}, // it reads the databases of other programs
		"internal/replica/foreign/seized":       {room: "technology", modules: []string{"modernc.org/sqlite"}},
		"internal/replica/foreign/earlier":      {room: "technology"},
		"internal/replica/foreign/frontmatter":  {room: "technology"},
		"internal/replica/foreign/instructions": {room: "technology"},
		"internal/replica/foreign/markdown":     {room: "technology"},
		"internal/replica/foreign/mcpmemory":    {room: "technology"},
		"internal/replica/foreign/opencode":     {room: "technology"},
		"internal/replica/foreign/pages":        {room: "technology"},
		"internal/replica/foreign/source":       {room: "technology"},

		"internal/hook":            {room: "frontend"},
		"internal/hook/dialect":    {room: "frontend"},
		"internal/httpapi":         {room: "frontend"},
		"internal/httpapi/openapi": {room: "frontend"},
		"internal/httpapi/route":   {room: "frontend"},
		"internal/mcp":             {room: "frontend", modules: []string{mcpSDK, "github.com/google/jsonschema-go"}},
		"internal/mcp/mem":         {room: "frontend", modules: []string{mcpSDK}},
		"internal/mcp/memory":      {room: "frontend"},
		"internal/mcp/recall":      {room: "frontend"},
		"internal/mcp/tool":        {room: "frontend", modules: []string{mcpSDK}},

		"internal/tui":        {room: "frontend", modules: []string{tea, "github.com/charmbracelet/colorprofile"}},
		"internal/tui/cell":   {room: "frontend", modules: []string{ansi}},
		"internal/tui/keymap": {room: "rule", modules: []string{"charm.land/bubbles/v2"}},
		"internal/tui/screen": {room: "frontend", modules: []string{tea}},
		"internal/tui/theme":  {room: "rule", modules: []string{lipgloss}},
		"internal/tui/widget": {room: "frontend"},

		"plugin": {room: "asset"},

		"internal/config":       {room: "config", modules: []string{"github.com/BurntSushi/toml"}},
		"internal/app":          {room: "app", modules: []string{"github.com/oklog/ulid/v2"}},
		"internal/cli":          {room: "cli", modules: []string{cobra, pflag}},
		"internal/cli/browse":   {room: "cli", modules: []string{cobra}},
		"internal/cli/command":  {room: "cli", modules: []string{cobra}},
		"internal/cli/complete": {room: "cli", modules: []string{cobra, pflag}},
		"internal/cli/demo":     {room: "cli", modules: []string{cobra, mcpSDK}},
		"internal/cli/help":     {room: "cli", modules: []string{cobra, pflag}},
		"internal/cli/memory":   {room: "cli", modules: []string{cobra}},
		"internal/cli/move":     {room: "cli", modules: []string{cobra}},
		"internal/cli/review":   {room: "cli", modules: []string{cobra}},
		"internal/cli/serve":    {room: "cli", modules: []string{cobra}},
		"internal/cli/settings": {room: "cli", modules: []string{cobra}},
		"internal/cli/setup":    {room: "cli", modules: []string{cobra}},
		"internal/cli/sync":     {room: "cli", modules: []string{cobra}},
		"internal/cli/terminal": {room: "cli", modules: []string{"github.com/clipperhouse/displaywidth", "github.com/mattn/go-isatty", "golang.org/x/term"}},
		"internal/cli/upkeep":   {room: "cli", modules: []string{cobra}},

		"cmd/engram": {room: "cmd"},

		"internal/encoder/encodertest": {room: "testkit"},
		"internal/enginetest":          {room: "testkit"},
		"internal/index/indextest":     {room: "testkit"},

		"internal/embedding/provider/providertest": {room: "testkit"},

		"internal/postgrestest":        {room: "testkit"},
		"internal/replica/replicatest": {room: "testkit"},
		"internal/storetest":           {room: "testkit"},
		"internal/waittest":            {room: "testkit"},
		"internal/eval":                {room: "measure"},
		"internal/eval/own":            {room: "measure"},
		"internal/eval/session":        {room: "measure"},
		"internal/eval/trial":          {room: "measure"},
		"internal/eval/wrapped":        {room: "measure"},
		"internal/secret/rulesgen":     {room: "tool", modules: []string{"github.com/BurntSushi/toml"}},
	}
}

// houses lists folders whose packages stand one above the other. Each may import those left of it; packages in
// one text are peers, which do not import each other. "." is the folder itself.
func houses() map[string][]string {
	return map[string][]string{
		"internal/cli":       {"terminal", "command", "browse demo memory move review serve settings setup sync upkeep", "complete help", "."},
		"internal/daemon":    {"logfile", "."},
		"internal/embedding": {"prefix", "hub hubtest static transformer provider", "own", "library"},
		"internal/encoder":   {"kernel safetensors encodertest", "."},
		"internal/backfill":  {"transcript", "."},
		"internal/engine": {"walk", "screen", "ledger", "exposure view", "anchors projects", "forget search", "relate undo", "read", "remember",
			"brief consolidate exchange", "sync vault", "review", "."},
		"internal/eval":    {".", "own session wrapped", "trial"},
		"internal/hook":    {"dialect", "."},
		"internal/httpapi": {"route", "openapi", "."},
		"internal/mcp":     {"tool", "mem memory recall", "."},
		"internal/replica": {"wire", "gitchunks jsonfile markdown replicatest", "foreign"},
		"internal/replica/foreign": {"frontmatter source", "database pages",
			"basicmemory claudecode claudemem earlier instructions markdown mcpmemory opencode seized", "."},
		"internal/postgres":  {"conn", "embeddings schema segments", "."},
		"internal/secret":    {". rulesgen"},
		"internal/setup":     {"edit", ".", "agent"},
		"internal/index":     {".", "recent indextest", "lexicon", "vectors"},
		"internal/sqlite":    {"conn", "embeddings file segments", "."},
		"internal/tui":       {"theme keymap", "cell", "widget", "screen", "."},
		"internal/suspicion": {"finding", "grammar surface", "command", "."},
	}
}

// reservedImports are standard packages that only the named packages may import.
func reservedImports() map[string][]string {
	return map[string][]string{
		"database/sql":        {"internal/sqlite", "internal/replica/foreign"},
		"database/sql/driver": {"internal/sqlite"},
		"net/http":            {"internal/endpoint", "internal/embedding/provider/providertest", "internal/embedding/hub", "internal/embedding/hubtest", "internal/daemon", "internal/httpapi", "internal/mcp", "internal/app"},
		"os/exec":             {"internal/agentcli", "internal/daemon", "internal/service", "internal/git", "internal/cli/demo", "internal/cli/browse", "internal/postgrestest"},
		"os/signal":           {"cmd/engram", "internal/cli/serve"}, // the latter ignores SIGPIPE
		"testing":             {"internal/enginetest", "internal/index/indextest", "internal/replica/replicatest", "internal/storetest", "internal/postgrestest"},
		"unsafe":              {},
		"log":                 {},
		"math/rand":           {},
	}
}

// impureImports are standard packages that do input or output: closed to the root,
// the rules and the engine.
func impureImports() []string {
	return []string{"os", "os/exec", "os/signal", "io/fs", "io/ioutil", "net", "net/http", "log", "log/slog", "embed",
		"database/sql", "syscall", "plugin", "crypto/rand", "math/rand", "math/rand/v2", "runtime", "runtime/debug"}
}

// reservedCalls are functions and variables that only the named files or folders
// may use; outside them time, environment and output are handed in.
func reservedCalls() map[string][]string {
	const endpoint, hub, generator, kernelgen = "internal/endpoint/", "internal/embedding/hub/", "internal/secret/rulesgen/", "internal/encoder/kernel/kernelgen/"
	return map[string][]string{
		"time.Now":     {"internal/app/", "internal/cli/command/program.go", "internal/cli/upkeep/eval.go", "internal/waittest/"},
		"time.Since":   {},
		"time.Until":   {},
		"time.Sleep":   {"internal/waittest/"},
		"os.Getenv":    {"internal/config/", "internal/postgrestest/"},
		"os.LookupEnv": {"internal/config/", "cmd/"},
		"os.Environ":   {"internal/config/", "internal/git/"},
		"os.Exit":      {"cmd/", generator, kernelgen},
		"os.Args":      {"cmd/"},
		"os.Stdin":     {"cmd/"},
		"os.Stdout":    {"cmd/"},
		"os.Stderr":    {"cmd/", generator, kernelgen},
		"fmt.Print":    {},
		"fmt.Printf":   {},
		"fmt.Println":  {},
		"log.Fatal":    {},
		"log.Fatalf":   {},
		"log.Panic":    {},
		"slog.Default": {},
		"panic":        {},
		"print":        {},
		"println":      {},
		// The program calls only the models that a person configured, as the README promises, and the hub when a person pulls one.
		"net.Dial":              {},
		"net.DialTimeout":       {},
		"net.Dialer":            {"internal/daemon/"}, // to the loopback address alone
		"http.Get":              {},
		"http.Post":             {},
		"http.Client":           {endpoint, hub},
		"http.NewRequest":       {},
		"http.DefaultClient":    {},
		"http.DefaultTransport": {},
		"http.Transport":        {endpoint, hub},
		// The default mux is shared with every dependency.
		"http.ListenAndServe": {},
		"http.HandleFunc":     {},
	}
}

// maxLines is the length of a file past which it holds more than one thing.
const maxLines = 600

func TestEveryPackageHasARow(t *testing.T) {
	known, found := rows(), map[string]bool{}
	for _, f := range tree(t) {
		found[f.dir] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		if _, ok := known[dir]; !ok {
			t.Errorf("package %s has no row: say in rows() what it is and what it may import", dir)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(known)) {
		if !found[dir] {
			t.Errorf("the row of %s has no package any more: remove it", dir)
		}
		if _, ok := rooms()[known[dir].room]; !ok {
			t.Errorf("the row of %s names the room %q, which does not exist", dir, known[dir].room)
		}
	}
}

func TestHousesHaveAPlaceForEveryRoom(t *testing.T) {
	report(t, checkHouses(houses(), slices.Sorted(maps.Keys(rows()))))
}

func TestImportsFollowTheArrows(t *testing.T) {
	for _, f := range tree(t) {
		report(t, checkImports(f, rows(), rooms(), houses()))
		report(t, checkReservedImports(f, reservedImports(), rooms()[rows()[f.dir].room].pure, impureImports()))
	}
}

func TestReservedCallsStayInTheirPlace(t *testing.T) {
	for _, f := range tree(t) {
		if !f.test {
			report(t, checkCalls(f, reservedCalls()))
		}
	}
}

func TestTestsDoNotSleep(t *testing.T) {
	for _, f := range tree(t) {
		if f.test {
			report(t, checkSleep(f))
		}
	}
}

func TestSQLStandsOnlyWithTheStore(t *testing.T) {
	for _, f := range tree(t) {
		// Test kits attack with SQL, and foreign reads the databases of other programs.
		if !f.test && !under(f.dir, "internal/sqlite") && !under(f.dir, "internal/postgres") && !under(f.dir, "internal/replica/foreign") && rows()[f.dir].room != "testkit" {
			report(t, checkNoSQL(f))
		}
	}
}

func TestPackagesSayWhatTheyHold(t *testing.T) {
	byDir := map[string][]source{}
	for _, f := range tree(t) {
		if !f.test {
			byDir[f.dir] = append(byDir[f.dir], f)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		report(t, checkPackageComment(dir, byDir[dir]))
		report(t, checkNoMutableState(byDir[dir]))
	}
}

func TestFilesAreDocumentedAndShort(t *testing.T) {
	for _, f := range tree(t) {
		report(t, checkLength(f, maxLines))
		if !f.test {
			report(t, checkExportsDocumented(f))
			report(t, checkNoInit(f))
		}
	}
}

func report(t *testing.T, problems []string) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}
