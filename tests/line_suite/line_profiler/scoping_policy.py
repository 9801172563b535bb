from tracer.recording.member_scope import ScopingPolicy

__all__ = ["ScopingPolicy"]
