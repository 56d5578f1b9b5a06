package engine

import (
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/engine/vault"
)

// Names of the rooms, until the frontends say them themselves.
type (
	Code              = anchors.Code
	FileError         = anchors.FileError
	ItemError         = remember.ItemError
	BatchError        = remember.BatchError
	SessionBriefInput = brief.SessionBriefInput
	SessionBrief      = brief.SessionBrief
	CaptureInput      = remember.CaptureInput
	CaptureResult     = remember.CaptureResult
	Conflict          = relate.Conflict
	ConflictFilter    = relate.ConflictFilter
	ConflictStats     = relate.ConflictStats
	CompareInput      = relate.CompareInput
	Absent            = relate.Absent
	ContextInput      = brief.ContextInput
	DecayInput        = consolidate.DecayInput
	Faded             = consolidate.Faded
	Fadings           = consolidate.Fadings
	ProjectDecayInput = consolidate.ProjectDecayInput
	ProjectDecay      = consolidate.ProjectDecay
	Accepted          = sync.Accepted
	Retried           = sync.Retried
	DiagnosticsInput  = consolidate.DiagnosticsInput
	Diagnostics       = consolidate.Diagnostics
	Clinic            = consolidate.Clinic
	DoctorInput       = consolidate.DoctorInput
	FixInput          = consolidate.FixInput
	Fixed             = consolidate.Fixed
	Fix               = consolidate.Fix
	RepairMode        = consolidate.RepairMode
	RepairInput       = consolidate.RepairInput
	Repair            = consolidate.Repair
	RepairAction      = consolidate.RepairAction
	RepairSkip        = consolidate.RepairSkip
	RepairCounts      = consolidate.RepairCounts
	ReembedInput      = consolidate.ReembedInput
	Reembedded        = consolidate.Reembedded
	ExportInput       = exchange.ExportInput
	Exported          = exchange.Exported
	Written           = exchange.Written
	ExportPageInput   = exchange.ExportPageInput
	ExportedPage      = exchange.ExportedPage
	Injection         = exposure.Injection
	Injector          = exposure.Injector
	Account           = read.Account
	Shown             = read.Shown
	Traces            = forget.Traces
	Deleted           = forget.Deleted
	Detail            = read.Detail
	RecollectInput    = read.RecollectInput
	ImportMode        = exchange.ImportMode
	Imported          = exchange.Imported
	ImportInput       = exchange.ImportInput
	Unpacked          = exchange.Unpacked
	Spool             = exchange.Spool
	JudgeInput        = relate.JudgeInput
	Candidate         = relate.Candidate
	LinkInput         = relate.LinkInput
	LinkAction        = relate.LinkAction
	Linked            = relate.Linked
	UnlinkInput       = relate.UnlinkInput
	Listed            = read.Listed
	GraphInput        = read.GraphInput
	LogInput          = read.LogInput
	WatchInput        = read.WatchInput
	Watched           = read.Watched
	CompactInput      = consolidate.CompactInput
	Compacted         = consolidate.Compacted
	Near              = search.Near
	MetricsInput      = read.MetricsInput
	Tally             = exposure.Tally
	Total             = read.Total
	Times             = exposure.Times
	MigrateInput      = exchange.MigrateInput
	MergeResult       = projects.MergeResult
	DeletedProject    = forget.DeletedProject
	Named             = forget.Named
	ProjectRequest    = projects.ProjectRequest
	ProjectInForce    = projects.ProjectInForce
	Folders           = projects.Folders
	PromptInput       = remember.PromptInput
	SavedPrompt       = remember.SavedPrompt
	ProposeInput      = review.ProposeInput
	Proposed          = review.Proposed
	Proposer          = review.Proposer
	ProposalEdit      = review.ProposalEdit
	PullInput         = sync.PullInput
	PulledBatch       = sync.PulledBatch
	Pulled            = sync.Pulled
	OtherProject      = sync.OtherProject
	PushInput         = sync.PushInput
	Pushed            = sync.Pushed
	RecallInput       = search.RecallInput
	Recalled          = search.Recalled
	RecalledItem      = search.RecalledItem
	Elsewhere         = search.Elsewhere
	RemindInput       = brief.RemindInput
	Reminder          = brief.Reminder
	Unpushed          = sync.Unpushed
	RemoteStatus      = sync.RemoteStatus
	ReviewResult      = review.ReviewResult
	Decided           = review.Decided
	DecidedName       = review.DecidedName
	QueueInput        = review.QueueInput
	Queue             = review.Queue
	SaveInput         = remember.SaveInput
	Action            = ledger.Action
	AdmitMode         = remember.AdmitMode
	SaveResult        = remember.SaveResult
	ScanInput         = relate.ScanInput
	Scanned           = relate.Scanned
	ScanPair          = relate.ScanPair
	SearchInput       = search.SearchInput
	Mode              = search.Mode
	SessionInput      = remember.SessionInput
	EndedSession      = remember.EndedSession
	SleepInput        = consolidate.SleepInput
	Slept             = consolidate.Slept
	StatsInput        = read.StatsInput
	StatsOver         = read.StatsOver
	Overview          = read.Overview
	UndoInput         = undo.UndoInput
	UndoRangeInput    = undo.UndoRangeInput
	UpdateInput       = remember.UpdateInput
	Updated           = remember.Updated
	VaultExportInput  = vault.VaultExportInput
	VaultExported     = vault.VaultExported
	VaultImportInput  = vault.VaultImportInput
	VaultAct          = vault.VaultAct
	VaultItem         = vault.VaultItem
	VaultImported     = vault.VaultImported
)

// Values of the rooms.
var (
	OfItem           = remember.OfItem
	ConflictStatuses = relate.ConflictStatuses
	Unpack           = exchange.Unpack
	Verdicts         = relate.Verdicts
	IsVerdict        = relate.IsVerdict
	NewTally         = exposure.NewTally
	TimeEdges        = exposure.TimeEdges
	SuspicionsOf     = review.SuspicionsOf
	FlaggedSummary   = read.FlaggedSummary
)

// Constants of the rooms.
const (
	MaxBatch         = remember.MaxBatch
	BriefBudget      = brief.BriefBudget
	MaxBrief         = brief.MaxBrief
	StatusOrphaned   = relate.StatusOrphaned
	MaxConflicts     = relate.MaxConflicts
	MaxDecayDays     = consolidate.MaxDecayDays
	RepairPlan       = consolidate.RepairPlan
	RepairDryRun     = consolidate.RepairDryRun
	RepairApply      = consolidate.RepairApply
	NativeFormat     = exchange.NativeFormat
	PlainFormat      = exchange.PlainFormat
	LeastStrength    = read.LeastStrength
	ImportMerge      = exchange.ImportMerge
	ImportReplace    = exchange.ImportReplace
	KindAgent        = relate.KindAgent
	KindHuman        = relate.KindHuman
	KindSystem       = relate.KindSystem
	LinkMade         = relate.LinkMade
	LinkChanged      = relate.LinkChanged
	LinkKnown        = relate.LinkKnown
	LinkRemoved      = relate.LinkRemoved
	MaxGraph         = read.MaxGraph
	MaxBehind        = read.MaxBehind
	ReasonNoReranker = search.ReasonNoReranker
	RecallBudget     = search.RecallBudget
	ContextBudget    = search.ContextBudget
	MaxBudget        = search.MaxBudget
	RemindBudget     = brief.RemindBudget
	FileBudget       = brief.FileBudget
	MaxSnooze        = review.MaxSnooze
	ActionInserted   = ledger.ActionInserted
	ActionRevised    = ledger.ActionRevised
	ActionRepeated   = ledger.ActionRepeated
	ActionMerged     = ledger.ActionMerged
	AdmitSeparately  = remember.AdmitSeparately
	AdmitMerging     = remember.AdmitMerging
	MostScanPairs    = relate.MostScanPairs
	MostScanCalls    = relate.MostScanCalls
	MostScanWait     = relate.MostScanWait
	ModeHybrid       = search.ModeHybrid
	ModeSemantic     = search.ModeSemantic
	ModeLexical      = search.ModeLexical
	MaxHops          = search.MaxHops
	VaultRevised     = vault.VaultRevised
	VaultCreated     = vault.VaultCreated
	VaultConflict    = vault.VaultConflict
	VaultMissing     = vault.VaultMissing
	VaultForgot      = vault.VaultForgot
	VaultRejected    = vault.VaultRejected
	VaultNoted       = vault.VaultNoted
)
