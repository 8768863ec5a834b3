"""What may be passed on: which pictures and texts leave the workspace, and which stay behind as a digest and a pointer.

An unknown licence of a picture counts as no. A picture that a model made of others' pictures is a derivative of them.
Posts carry no licence, so of a post only the pointer leaves.
"""

from __future__ import annotations

import msgspec

from groundswell.records import Attachment, Licence, Output, Picture, Post, Sample


def may_show(picture: Picture, licence: Licence | None = None) -> bool:
    """Whether the bytes of a picture may be passed on; `licence` is that of the suite, used where it has none."""
    found = picture.licence or licence
    return found is not None and found.redistribute


def may_show_output(picture: Picture, sample: Sample) -> bool:
    """Whether a picture that a model made may be passed on: by its own licence, else by those of what it was made of.

    Made of words alone it is held back only with the words.
    """
    if picture.licence is not None:
        return picture.licence.redistribute
    if not sample.inputs:
        return may_show_text(sample)
    licences = [made_of.licence or sample.licence for made_of in sample.inputs]
    return all(found is not None and found.redistribute and found.derivatives for found in licences)


def may_show_text(sample: Sample) -> bool:
    """Whether the words of a sample may be passed on: unless its licence says no."""
    return sample.licence is None or sample.licence.redistribute


def without_held_back(sample: Sample) -> Sample:
    """The sample as it may be published; its key is still that of the whole sample."""
    if may_show_text(sample):
        return sample
    checks = tuple(msgspec.structs.replace(check, args={}) for check in sample.checks)
    return msgspec.structs.replace(sample, prompts={}, context=None, reference=None, feedback=(), checks=checks)


def output_without_held_back(output: Output, sample: Sample) -> Output:
    """The output as it may be published: a host's rewriting of a prompt is held back with the prompt."""
    return output if may_show_text(sample) else msgspec.structs.replace(output, rewritten_prompt=None)


def pointer(post: Post) -> Post:
    """A post as it may be published: where it stands, when, and in which state; neither its words nor its author."""
    pictures = tuple(Attachment(url=shown.url, media=shown.media, missing=shown.missing) for shown in post.pictures)
    return msgspec.structs.replace(post, text="", title=None, author=None, pictures=pictures)
