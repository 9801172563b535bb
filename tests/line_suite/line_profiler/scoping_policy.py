from tracer.scoping import ScopingPolicy

__all__ = ["ScopingPolicy"]
