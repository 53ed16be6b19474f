package hound

// Version is the version of this kernel, which plans and receipts name.
const Version = "1.0.0"

// The schema names of the documents.
const (
	SchemaManifest     = "hound.driver.v1"
	SchemaProtocol     = "hound.protocol.v1"
	SchemaRequest      = "hound.driver.request.v1"
	SchemaResponse     = "hound.driver.response.v1"
	SchemaPlan         = "hound.plan.v2"
	SchemaPlanV1       = "hound.plan.v1" // verified, but neither approved nor executed
	SchemaApproval     = "hound.approval.v1"
	SchemaInvocation   = "hound.invoke.result.v1"
	SchemaReceipt      = "hound.invocation.receipt.v2"
	SchemaReceiptV1    = "hound.invocation.receipt.v1" // without the cleanup proof
	SchemaRunPending   = "hound.run.pending.v1"
	SchemaRunResult    = "hound.run.result.v2"
	SchemaRunResultV1  = "hound.run.result.v1" // held its own location
	SchemaRunIndex     = "hound.run.index.v1"
	SchemaRunVerified  = "hound.run.verification.v1"
	SchemaInvVerified  = "hound.invocation.verification.v1"
	SchemaExpVerified  = "hound.statement.verification.v1"
	SchemaError        = "hound.error.v1"
	SchemaCleanup      = "hound.cleanup.v1"
	DefaultRunRoot     = ".hound/runs"
	DefaultTimeoutName = "default"
)

// The files of a run record. ApprovalFile is there exactly when the plan's gate
// is human.
const (
	ManifestFile = "driver-manifest.json"
	PlanFile     = "plan.json"
	RequestFile  = "request.json"
	ApprovalFile = "approval.json"
	ResultFile   = "result.json"
	IndexFile    = "index.json"
)

// The exit codes of the command line.
const (
	ExitOK      = 0
	ExitFailed  = 1 // the driver or the run failed, or a record is invalid
	ExitRefused = 2 // usage, a document that breaks its contract, drift
	ExitHeld    = 3 // an approval is missing, wrong or expired, or the driver holds
)

// Mode says what a driver is asked for.
type Mode string

// The modes of a request.
const (
	ModeCheck   Mode = "check"
	ModeRead    Mode = "read"
	ModePlan    Mode = "plan"
	ModeExecute Mode = "execute"
)

// Effect says whether an operation may change the repository.
type Effect string

// The effects of a capability.
const (
	EffectRead  Effect = "read"
	EffectWrite Effect = "write"
)

// Gate says who must agree before an operation is executed.
type Gate string

// The gates of a capability.
const (
	GateNone  Gate = "none"
	GateHuman Gate = "human"
)

// Outcome is how a driver says a request ended.
type Outcome string

// The outcomes of a response. NoEdition is what older drivers say for no change.
const (
	OutcomePlanned   Outcome = "planned"
	OutcomeCompleted Outcome = "completed"
	OutcomeNoChange  Outcome = "no-change"
	OutcomeNoOp      Outcome = "no-op"
	OutcomeNoEdition Outcome = "no-edition"
	OutcomeHeld      Outcome = "held"
	OutcomeFailed    Outcome = "failed"
)

// Known reports whether the protocol has the outcome.
func (o Outcome) Known() bool {
	switch o {
	case OutcomePlanned, OutcomeCompleted, OutcomeNoChange, OutcomeNoOp, OutcomeNoEdition, OutcomeHeld, OutcomeFailed:
		return true
	default:
		return false
	}
}

// OK is the value of "ok" that belongs to the outcome.
func (o Outcome) OK() bool { return o != OutcomeHeld && o != OutcomeFailed }

// Plannable reports whether a plan may be made of a response with the outcome.
func (o Outcome) Plannable() bool {
	switch o {
	case OutcomePlanned, OutcomeNoChange, OutcomeNoOp, OutcomeNoEdition:
		return true
	default:
		return false
	}
}
