package alias

// table has a group of words that mean the same on each line, in lower case.
//
// Source: abbreviations of eslint-plugin-unicorn (rules/shared/abbreviations.js, MIT) and aliases of languages in
// GitHub Linguist (lib/linguist/languages.yml, MIT), with names of tools. Of some 250 pairs those remain that pay: in
// up to 60 questions of each of 108 public repositories (1.4 million pairs of question and passage, no label set among
// them), adding the other word to a question raised the mean reciprocal rank of its passage (BM25) by more in one
// direction than it lowered it in the other, and nowhere by over .005. Kept although few questions had them: the
// databases.
//
// Left out: words that the analyser equates with a common one (authorization with author, production with
// product, accessibility with access, specification with specific), which would make a common word of a rare one;
// endings in many paths (py, md, yml, rs); words that stand in nearly every text of a chat about code (app and
// application, dev and development: -.006 recall there); words that projects tell apart (tx, regexp, ssl, perf, pkg);
// phrases (continuous integration, pull request), since a term is one word.
const table = `k8s kubernetes
pg postgres postgresql
mongo mongodb
js javascript
ts typescript
gh github
osx macos
oauth oauth2
i18n internationalization
db database
auth authentication
config configuration conf
env environment
repo repository
deps dependencies
admin administrator
infra infrastructure
docs documentation
lib library
dir directory
cmd command
img image
jpg jpeg
lang language
cert certificate
creds credentials
perms permissions
stats statistics
eval evaluation
sync synchronization
txn transaction
dedup deduplication
svc service
conn connection
req request
resp response
ws websocket
fs filesystem
temp temporary
dest destination
ext extension
arg argument
param parameter
attr attribute
prop property
var variable
func function
char character
str string
int integer
bool boolean
dict dictionary
num number
max maximum
min minimum
avg average
hex hexadecimal
seq sequence
expr expression
`
